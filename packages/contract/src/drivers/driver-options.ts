import type { Environment } from '../model/environment.ts'
import type { ConnectTo, Wire } from '../net/wire.ts'
import type { HttpDriver } from './http-driver.ts'

/** What a driver is opened with. */
export interface DriverOptions {
  readonly base: URL
  /** Absent when the owner came with a session. */
  readonly passphrase?: string
  readonly wire: Wire
  readonly connectTo?: readonly ConnectTo[]
  readonly ca?: string
  readonly environment: Environment
  /** What pages are read with, and what `http` is. */
  readonly pages: HttpDriver
}

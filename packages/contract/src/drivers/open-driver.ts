import type { Environment } from '../model/environment.ts'
import type { ConnectTo, Wire } from '../net/wire.ts'
import type { Driver } from './driver.ts'
import type { HttpDriver } from './http-driver.ts'

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

/**
 * Opens the driver of `--driver`: `http`, `chromium` or `command:<program>`.
 * @throws Error when it is none of them, or cannot be opened
 */
export async function openDriver(text: string, options: DriverOptions): Promise<Driver> {
  if (text === 'http') return options.pages
  if (text === 'chromium') {
    return (await import('./chromium-driver.ts')).openChromium(options)
  }
  const [, command = ''] = /^command:(.*)$/s.exec(text) ?? []
  if (command.trim() === '') throw new Error(`${text}: write http, chromium or command:<program>`)
  return (await import('./command-driver.ts')).openCommand(command, options)
}

import { hostname } from 'node:os'
import type { AuthUi } from '@svc/auth-ui'
import type { OAuth } from '@svc/oauth-core'
import {
  checkSealingKeys,
  type PlatformLog,
  KeyStatusReader,
  Reseal,
  type ResealOptions,
  type SealingKey,
} from '@svc/platform'
import type { Config } from '../config/config.ts'
import { nameOfKeys } from '../storage/sealing-keys.ts'
import { Rotation } from './rotation.ts'

export interface HostKeysOptions {
  readonly config: Config
  readonly keys: readonly SealingKey[]
  readonly oauth: OAuth
  readonly ui: Pick<AuthUi, 'owners'>
  readonly log: PlatformLog
  readonly processes: NonNullable<ResealOptions['processes']>
}

/** What an operator does with keys while the server serves. */
export interface HostKeys {
  /** What the operator sets: `SVC_KEYS`, `SVC_KEYS_FILE`, or a file. */
  readonly source: string
  readonly reseal: Reseal
  readonly status: KeyStatusReader
  readonly rotation: Rotation
  /** To be called once others see the record of this process: from then on nobody calls its first key empty. */
  start(): Promise<void>
  close(): Promise<void>
}

export function createHostKeys(options: HostKeysOptions): HostKeys {
  const { config, keys, oauth, ui, log, processes } = options
  const { store, clock, records } = oauth
  const work = { store, clock, log, hostname: hostname(), isAlone: config.store === 'sqlite' }
  const reseal = new Reseal({ ...work, keys, records, processes })
  const status = new KeyStatusReader({ ...work, keys, records })
  const rotation = new Rotation({ oauth, ui }, work)
  const all = [reseal, status, rotation]
  return {
    source: nameOfKeys(config),
    reseal,
    status,
    rotation,
    async start() {
      await checkSealingKeys({ store, clock, keys })
      for (const each of all) await each.resume()
    },
    async close() {
      for (const each of all) await each.close()
    },
  }
}

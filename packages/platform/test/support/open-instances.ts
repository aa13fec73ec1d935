import { randomBytes } from 'node:crypto'
import type { Store } from '@svc/store'
import { createInstances, type InstanceStore } from '../../src/instances/instance-store.ts'
import { createKeyring } from '../../src/keys/keyring-store.ts'
import { createSealer, type Sealer } from '../../src/keys/sealer.ts'

export const SILENT = { info: () => {}, warn: () => {}, error: () => {} }

/** Instances of a store, sealed with any key unless it is said. */
export function openInstances(
  store: Store,
  clock: { now(): number },
  {
    sealer = createSealer([{ kid: 'k', key: randomBytes(32) }]),
    ...options
  }: Partial<Parameters<typeof createInstances>[0]> & { readonly sealer?: Sealer } = {},
): InstanceStore {
  const keyring = createKeyring({ store, sealer, clock })
  const given = { store, clock, keyring, log: SILENT, isHttps: () => true }
  return createInstances({ ...given, subdomains: 'nested', ...options })
}

import { randomBytes } from 'node:crypto'
import { indexKey, recordKey, type Json, type Store } from '@svc/store'
import type { Instance } from '../../src/instances/instance.ts'
import type { InstanceStore } from '../../src/instances/instance-store.ts'
import { createKeyring, type StoredKeyring } from '../../src/keys/keyring-store.ts'
import { createSealer, type Sealer, type SealingKey } from '../../src/keys/sealer.ts'
import { PLATFORM_RECORDS } from '../../src/records.ts'
import type { RecordKind } from '../../src/records/record-kind.ts'
import { RecordRegistry } from '../../src/records/record-registry.ts'
import { openInstances } from './open-instances.ts'

export const keyNamed = (kid: string): SealingKey => ({ kid, key: randomBytes(32) })

/** A kind of an embedder, with a value that another writer changes beside. */
const SECRET: RecordKind = {
  kind: 'test-secret',
  version: 1,
  schema: { type: 'object' },
  tags: 'instance',
  places: { by: 'index', index: 'test-secrets' },
  sealed: [
    { path: ['plain'], context: ({ tag, id }) => ({ context: `test:${tag}:${id}` }) },
    {
      path: ['derived', '*'],
      context: ({ tag, id }) => ({ salt: tag, info: 'test', aad: `${tag}:${id}` }),
    },
  ],
  life: 'for good',
  export: 'yes',
  content: 'secrets of a test',
}

export function testRegistry(): RecordRegistry {
  const registry = new RecordRegistry()
  registry.declare([...PLATFORM_RECORDS, SECRET])
  return registry
}

/** Instances with secrets of their own, sealed with the first of the keys. */
export class SealedStore {
  readonly store: Store
  readonly sealer: Sealer
  readonly keyring: StoredKeyring
  readonly instances: InstanceStore

  constructor(store: Store, keys: readonly SealingKey[], clock: { now(): number }) {
    this.store = store
    this.sealer = createSealer(keys)
    this.keyring = createKeyring({ store, sealer: this.sealer, clock })
    this.instances = openInstances(store, clock, { keyring: this.keyring })
  }

  async create(domain: string, secrets: number): Promise<Instance> {
    const instance = await this.instances.create({ domain })
    for (let at = 0; at < secrets; at += 1) await this.put(instance, String(at), 0)
    return instance
  }

  async put(instance: Instance, id: string, turn: number): Promise<void> {
    const { id: tag } = instance
    const values = this.sealer.derive(tag, 'test')
    await this.store.write([
      {
        op: 'put',
        key: recordKey(tag, 'test-secret', id),
        value: {
          turn,
          plain: this.sealer.seal(`plain ${id}`, `test:${tag}:${id}`),
          derived: ['a', 'b'].map((text) => values.seal(`${text} ${id}`, `${tag}:${id}`)),
        },
        indexes: [{ index: indexKey(tag, 'test-secrets'), sort: id }],
      },
    ])
  }

  /** Opens everything of a secret. */
  async read(instance: Instance, id: string): Promise<Json> {
    const { id: tag } = instance
    const record = await this.store.get<{
      readonly turn: number
      readonly plain: string
      readonly derived: readonly string[]
    }>(recordKey(tag, 'test-secret', id))
    if (record === undefined) return null
    const { turn, plain, derived } = record.value
    const values = this.sealer.derive(tag, 'test')
    return [
      turn,
      this.sealer.open(plain, `test:${tag}:${id}`).toString(),
      ...derived.map((text) => values.open(text, `${tag}:${id}`).toString()),
    ]
  }

  async close(): Promise<void> {
    await this.instances.close()
    await this.keyring.close()
  }
}

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { recordKey, StoreUnavailableError } from '@svc/store'
import { testStore } from '@svc/store/contract'
import { sqliteStore } from '@svc/store/sqlite'
import { timedStore } from './timed-store.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'timed-store-'))
after(() => rmSync(folder, { recursive: true }))

testStore(
  { describe, it },
  'the timed store',
  async (clock) => {
    const store = sqliteStore({ file: ':memory:', clock, countedKinds: ['thing', 'other'] })
    return timedStore(store, () => {})
  },
  {
    openData: async (clock, name) =>
      timedStore(sqliteStore({ file: path.join(folder, `${name}.db`), clock }), () => {}),
  },
)

it('tells what each call took, and which failed', async () => {
  const told: [string, boolean][] = []
  const store = timedStore(sqliteStore({ file: ':memory:' }), (method, milliseconds, isFailed) => {
    assert.ok(milliseconds >= 0)
    told.push([method, isFailed])
  })
  const key = recordKey('alice', 'note', 'one')
  await store.write([{ op: 'put', key, value: 'text' }])
  await store.take(key)
  await store.close()
  await assert.rejects(store.get(key), StoreUnavailableError)
  assert.deepEqual(told, [
    ['write', false],
    ['take', false],
    ['get', true],
  ])
})

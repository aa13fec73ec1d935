import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { recordKey } from '@svc/store'
import { type EmbeddedStore, sqliteStore } from '@svc/store/sqlite'
import { until } from '@svc/testkit'
import { expect } from 'chai'
import { ServedCopies } from '../../src/backups/served-copy.ts'
import { testFolder } from '../support/for-test.ts'

describe('copies of the store for commands', () => {
  let folder: string
  let store: EmbeddedStore
  beforeEach(async () => {
    folder = testFolder()
    store = sqliteStore({ file: path.join(folder, 'store.db') })
    const value = 'x'.repeat(60_000)
    for (let at = 0; at < 3; at += 1) {
      await store.write(
        Array.from({ length: 100 }, (_, n) => ({
          op: 'put' as const,
          key: recordKey('i', 'thing', `${at}-${n}`),
          value,
        })),
      )
    }
  })
  afterEach(async () => {
    await store.close()
  })

  const place = (name: string): string => path.join(folder, `${name}.unfinished`)

  it('are made one at a time, and again after the end', async () => {
    const copies = new ServedCopies(store)
    expect(copies.begin(place('one'))).to.deep.equal({ file: place('one'), state: 'copying' })
    expect(copies.begin(place('two'))).to.equal(undefined)
    await until(async () => copies.ask()?.state === 'done')
    expect(existsSync(place('two'))).to.equal(false)
    copies.begin(place('two'))
    await until(async () => copies.ask()?.state === 'done')
    expect(() => copies.begin(place('two'))).to.throw('EEXIST')
  })

  it('are given up when the command that waits for one was killed', async () => {
    // A step of the copy is longer than that.
    const copies = new ServedCopies(store, 0)
    copies.begin(place('one'))
    await until(async () => copies.begin(place('two')) !== undefined)
    expect(existsSync(place('one'))).to.equal(false)
    await until(async () => copies.ask()?.state === 'failed')
    expect(copies.ask()?.error).to.include('no command asked for it any more')
  })

  it('go on while somebody asks', async () => {
    const copies = new ServedCopies(store, 500)
    copies.begin(place('one'))
    const states = new Set<string | undefined>()
    await until(async () => {
      states.add(copies.ask()?.state)
      await pause(1)
      return !states.has(undefined) && states.size > 1
    })
    expect([...states]).to.deep.equal(['copying', 'done'])
  })
})

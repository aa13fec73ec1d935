import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { recordKey } from '../keys.ts'
import { type DefinePart, part } from './suite.ts'

const newId = (): string => randomBytes(16).toString('base64url')

/** A repeat with the same id answers what the first call answered. */
export const testWriteIds: DefinePart = part('write with an id', (it) => {
  it('writes once and answers the same again', async ({ store, key }) => {
    const id = newId()
    const first = await store.write([{ op: 'put', key: key('a'), value: 1, ifAbsent: true }], {
      id,
    })
    assert.equal(first.written, true)
    await store.write([{ op: 'put', key: key('a'), value: 2 }])
    const again = await store.write([{ op: 'put', key: key('a'), value: 1, ifAbsent: true }], {
      id,
    })
    assert.deepEqual(again, first)
    assert.equal((await store.get(key('a')))?.value, 2)
  })

  it('answers a refusal again, although it would be written now', async ({ store, key }) => {
    const id = newId()
    const first = await store.write([{ op: 'put', key: key('a'), value: 1, ifPresent: true }], {
      id,
    })
    assert.deepEqual(first, { written: false, failed: key('a') })
    await store.write([{ op: 'put', key: key('a'), value: 2 }])
    const again = await store.write([{ op: 'put', key: key('a'), value: 1, ifPresent: true }], {
      id,
    })
    assert.deepEqual(again, first)
    assert.equal((await store.get(key('a')))?.value, 2)
  })

  it('writes once when the repeats are simultaneous', async ({ store, key }) => {
    const id = newId()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        store.write([{ op: 'put', key: key('a'), value: 1, ifAbsent: true }], { id }),
      ),
    )
    for (const answer of answers) assert.deepEqual(answer, answers[0])
    assert.equal(answers[0]?.written, true)
  })

  it('tells ids of two instances apart', async ({ store, key, instance }) => {
    const id = newId()
    await store.write([{ op: 'put', key: key('a'), value: 1 }], { id })
    const other = recordKey(`${instance}-2`, 'thing', 'a')
    await store.write([{ op: 'put', key: other, value: 2 }], { id })
    assert.equal((await store.get(other))?.value, 2)
  })
})

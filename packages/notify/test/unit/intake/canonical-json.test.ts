import { expect } from 'chai'
import fc from 'fast-check'
import { describe, it } from 'mocha'
import { createKeyedQueue } from '../../../src/intake/posting.ts'
import { canonicalJson } from '../../../src/intake/idempotency.ts'

describe('canonical JSON', () => {
  it('does not depend on the order of members', () => {
    expect(canonicalJson({ b: 1, a: { d: [{ f: 1, e: 2 }], c: null } })).to.equal(
      '{"a":{"c":null,"d":[{"e":2,"f":1}]},"b":1}',
    )
  })

  it('depends on everything else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(JSON.parse(canonicalJson(a))).to.deep.equal(JSON.parse(JSON.stringify(a)))
        if (JSON.stringify(a) === JSON.stringify(b)) {
          expect(canonicalJson(a)).to.equal(canonicalJson(b))
        }
      }),
    )
  })

  it('keeps members with names of objects', () => {
    const value: unknown = JSON.parse('{"constructor":1,"__proto__":{"b":1,"a":2}}')
    expect(canonicalJson(value)).to.equal('{"__proto__":{"a":2,"b":1},"constructor":1}')
  })
})

describe('turns', () => {
  it('run the tasks of a key one after the other, in order, whatever became of them', async () => {
    const inTurn = createKeyedQueue()
    const seen: string[] = []
    const task = (name: string, fails = false) =>
      inTurn('a', async () => {
        seen.push(`begin ${name}`)
        await new Promise((resolve) => setImmediate(resolve))
        seen.push(`end ${name}`)
        if (fails) throw new Error(name)
        return name
      })
    const results = await Promise.allSettled([task('1'), task('2', true), task('3')])
    expect(seen).to.deep.equal(['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3'])
    expect(results.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    expect(await task('4')).to.equal('4')
  })

  it('of other keys do not wait', async () => {
    const inTurn = createKeyedQueue()
    const { promise, resolve } = Promise.withResolvers<string>()
    const first = inTurn('a', () => promise)
    expect(await inTurn('b', async () => 'b')).to.equal('b')
    resolve('a')
    expect(await first).to.equal('a')
  })
})

import { expect } from 'chai'
import { describe, it } from 'mocha'
import {
  afterFailure,
  afterSuccess,
  NO_STATE,
  wasRefreshedSince,
} from '../../../src/accounts/refresh-state.ts'

describe('revisions of callers (8.3)', () => {
  const once = afterSuccess(NO_STATE, { replaced: '3-c', written: '4-d' }, 0)

  it('are old when a refresh replaced them', () => {
    expect(wasRefreshedSince(once, '4-d', '3-c')).to.equal(true)
    expect(wasRefreshedSince(once, '9-i', '3-c')).to.equal(true)
    const twice = afterSuccess(once, { replaced: '6-f', written: '7-g' }, 0)
    expect(wasRefreshedSince(twice, '9-i', '4-d')).to.equal(true)
    expect(wasRefreshedSince(twice, '9-i', '3-c')).to.equal(true)
  })

  it('are not old when they are those of the last refresh, or of now', () => {
    expect(wasRefreshedSince(once, '9-i', '4-d')).to.equal(false)
    expect(wasRefreshedSince(once, '9-i', '9-i')).to.equal(false)
    expect(wasRefreshedSince(NO_STATE, '2-b', '1-a')).to.equal(false)
  })

  it('that nobody remembers are old when nothing changed since the last refresh', () => {
    expect(wasRefreshedSince(once, '4-d', 'whatever')).to.equal(true)
  })

  it('that nobody remembers are told by their generation after an edit, when they have one', () => {
    expect(wasRefreshedSince(once, '6-f', '2-b')).to.equal(true)
    expect(wasRefreshedSince(once, '6-f', '5-e')).to.equal(false)
    expect(wasRefreshedSince(once, '6-f', 'whatever')).to.equal(false)
  })

  it('are remembered to a limit', () => {
    let state = NO_STATE
    for (let i = 0; i < 100; i += 1) {
      state = afterSuccess(state, { replaced: `r${i}`, written: `w${i}` }, 0)
    }
    expect(state.outdated).to.have.lengthOf(16)
  })
})

describe('failures of an account', () => {
  const failure = { class: 'unavailable' } as const

  it('are counted in a row, from the first, and end with success', () => {
    const first = afterFailure(NO_STATE, { failure, sequence: 1 }, 100)
    const second = afterFailure(first, { failure, sequence: 1 }, 200)
    expect(second).to.deep.include({ finished: 2, last: { at: 200, failure } })
    expect(second.failing).to.deep.equal({ sequence: 1, since: 100, at: 200, count: 2 })
    const revisions = { replaced: 'a', written: 'b' }
    expect(afterSuccess(second, revisions, 300)).to.deep.equal({
      finished: 3,
      last: { at: 300 },
      written: 'b',
      outdated: ['a'],
    })
  })

  it('begin anew with other tokens', () => {
    const first = afterFailure(NO_STATE, { failure, sequence: 1 }, 100)
    expect(afterFailure(first, { failure, sequence: 2 }, 200).failing?.count).to.equal(1)
  })

  it('are those of nobody who is asking any more', () => {
    const asking = { ...NO_STATE, asking: { since: 0, tokenHash: 'x' } }
    expect(afterFailure(asking, { failure, sequence: 1 }, 1)).to.not.have.property('asking')
  })
})

import { expect } from 'chai'
import { describe, it } from 'mocha'
import { isSubset, manifestScopes, splitScope } from '../../../src/flow/start-parameters.ts'

/** connectors.md 4.1 "scope", 12 */
describe('scopes of a start', () => {
  for (const [text, scopes] of [
    ['a b', ['a', 'b']],
    ['a+b', ['a', 'b']],
    [' a \t b\n+ +a ', ['a', 'b']],
    ['https://provider.example/a.b,c', ['https://provider.example/a.b,c']],
    ['', []],
    ['+', []],
  ] as const) {
    it(`reads ${JSON.stringify(text)} as ${JSON.stringify(scopes)}`, () => {
      expect(splitScope(text)).to.deep.equal(scopes)
    })
  }

  it('are the union of the entries of a manifest, each a list', () => {
    expect(manifestScopes(['a b', 'b c'])).to.deep.equal(['a', 'b', 'c'])
    expect(manifestScopes(undefined)).to.deep.equal([])
  })

  it('are within others when each is one of them', () => {
    expect(isSubset(['a'], ['a', 'b'])).to.equal(true)
    expect(isSubset([], [])).to.equal(true)
    expect(isSubset(['a', 'c'], ['a', 'b'])).to.equal(false)
  })
})

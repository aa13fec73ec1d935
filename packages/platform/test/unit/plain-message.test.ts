import { expect } from 'chai'
import { plainMessage } from '../../src/words/plain-message.ts'

describe('plain messages', () => {
  const kept = { isolated: 'Alice' }
  const cases: readonly (readonly [
    string,
    Readonly<Record<string, object | string | number>>,
    readonly unknown[],
  ])[] = [
    ['', {}, []],
    ['Log in', {}, ['Log in']],
    ["Isn’t it? It isn't: # < 3 | 4", {}, ["Isn’t it? It isn't: # < 3 | 4"]],
    ['{name}', { name: kept }, [kept]],
    ['{name}', { name: '' }, ['']],
    ['Hello {name}!', { name: kept }, ['Hello ', kept, '!']],
    ['Hello {name}!', { name: 'Alice' }, ['Hello Alice!']],
    ['{count} of {all_of}', { count: 0, all_of: 12 }, ['0 of 12']],
    ['{a}{b}{a}', { a: kept, b: 'and' }, [kept, 'and', kept]],
  ]
  for (const [message, values, parts] of cases) {
    it(`says ${JSON.stringify(message)} with ${JSON.stringify(values)}`, () => {
      expect(plainMessage(message)?.(values)).to.deep.equal(parts)
    })
  }

  for (const message of [
    '{count, plural, one {# app} other {# apps}}',
    '{kind, select, web {a} other {b}}',
    '{at, date, short}',
    '{share, number, percent}',
    "It''s",
    "'{name}'",
    '{ name }',
    '{0}',
    '{name',
    'name}',
    '{}',
  ]) {
    it(`leaves ${message} to who knows ICU`, () => {
      expect(plainMessage(message)).to.equal(undefined)
    })
  }

  it('misses an argument that is not given, and says nothing for one that is undefined', () => {
    const format = plainMessage('Hello {name}!')
    expect(() => format?.({})).to.throw(TypeError, 'no value for {name} in: Hello {name}!')
    expect(() => plainMessage('{constructor}')?.({})).to.throw(TypeError, 'no value')
    const values = { name: undefined } as unknown as Record<string, string> // As a template may give it.
    expect(format?.(values)).to.deep.equal(['Hello !'])
  })

  it('takes a long message without a word of ICU in time', () => {
    expect(plainMessage(`${'{a'.repeat(50_000)}`)).to.equal(undefined)
  })
})

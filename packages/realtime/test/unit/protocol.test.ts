import { expect } from 'chai'
import { describe, it } from 'mocha'
import { parseCommand, parseTopic } from '../../src/connection/protocol.ts'
import { errorFrame } from '../../src/connection/socket-errors.ts'

describe('parseCommand', () => {
  for (const text of ['', '{', '[]', 'null', '7', '"AUTH"', '{"method":"AUTH"}x']) {
    it(`refuses ${text || 'nothing'}`, () => {
      expect(parseCommand(text)).to.equal(undefined)
    })
  }

  it('reads the method in any case and keeps it as sent', () => {
    const command = parseCommand('{"method":"sUbScRiBe","payload":{"type":"a","x":1},"y":2}')
    expect(command).to.deep.equal({
      name: 'SUBSCRIBE',
      method: 'sUbScRiBe',
      payload: { type: 'a', x: 1 },
      source: { method: 'sUbScRiBe', payload: { type: 'a' } },
    })
  })

  const long = 'x'.repeat(1000)
  const cut = 'x'.repeat(256)
  const sources: readonly (readonly [string, unknown, unknown])[] = [
    ['a token', { method: 'AUTH', payload: 'secret' }, { method: 'AUTH' }],
    ['an AUTH with a type', { method: 'AUTH', payload: { type: 'x' } }, { method: 'AUTH' }],
    ['a text elsewhere', { method: 'x', payload: 'secret' }, { method: 'x' }],
    ['nothing', { method: 'x' }, { method: 'x' }],
    ['no method', { payload: {} }, { payload: {} }],
    ['a method that is no text', { method: 7 }, {}],
    [
      'nested values',
      { method: 'x', payload: { type: {}, id: [1] } },
      { method: 'x', payload: {} },
    ],
    [
      'other values',
      { method: 'x', payload: { type: 7, id: null } },
      { method: 'x', payload: { type: 7, id: null } },
    ],
    [
      'long texts',
      { method: long, payload: { type: long, id: long } },
      { method: cut, payload: { type: cut, id: cut } },
    ],
  ]
  for (const [what, message, source] of sources) {
    it(`sends back what is safe of ${what}`, () => {
      expect(parseCommand(JSON.stringify(message))?.source).to.deep.equal(source)
    })
  }
})

describe('parseTopic', () => {
  const max = 'x'.repeat(256)
  const cases: readonly (readonly [unknown, unknown])[] = [
    [{ type: 'a' }, { type: 'a' }],
    [{ type: 'a', id: '' }, { type: 'a' }],
    [
      { type: 'a', id: max },
      { type: 'a', id: max },
    ],
    [{ type: 'a', id: `${max}x` }, 'bad_payload'],
    [{ type: 'a', id: 7 }, 'bad_payload'],
    [{ type: 'x'.repeat(128) }, { type: 'x'.repeat(128) }],
    [{ type: 'x'.repeat(129) }, 'bad_payload'],
    [{ type: '' }, 'no_type'],
    [{ type: [] }, 'no_type'],
    [{}, 'no_type'],
    [undefined, 'no_type'],
    [null, 'no_type'],
    [[], 'no_type'],
    ['a', 'no_type'],
  ]
  for (const [payload, expected] of cases) {
    it(`reads ${String(JSON.stringify(payload)).slice(0, 40)}`, () => {
      expect(parseTopic(payload)).to.deep.equal(expected)
    })
  }
})

describe('errorFrame', () => {
  it('names what it is about as it is, cut at 256 characters', () => {
    const title = (about: string): string =>
      (
        JSON.parse(String(errorFrame('unknown_method', null, about))) as {
          payload: { title: string }
        }
      ).payload.title
    expect(title('$& $1')).to.equal('The $& $1 method is not supported')
    expect(title('x'.repeat(999))).to.equal(`The ${'x'.repeat(256)} method is not supported`)
  })
})

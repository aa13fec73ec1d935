import { expect } from 'chai'
import { parseAnswerBody, valueAt } from '../../../src/token-client/answer-body.ts'

/** As plain objects, so that they can be compared. */
function parsed(text: string | Buffer): unknown {
  const record = parseAnswerBody(Buffer.from(text))
  return record === undefined ? undefined : JSON.parse(JSON.stringify(record))
}

describe('bodies of answers (connectors.md 6.3, rule 2)', () => {
  const readable: readonly (readonly [string, string | Buffer, unknown])[] = [
    ['JSON', '{"access_token":"a","n":[1,{"b":null}]}', { access_token: 'a', n: [1, { b: null }] }],
    ['JSON after a byte order mark', '\uFEFF{"access_token":"a"}', { access_token: 'a' }],
    ['JSON among white space', ' \r\n\t{"access_token":"a"}\n', { access_token: 'a' }],
    [
      'a form',
      'access_token=a&scope=repo%2Cgist&token_type=bearer',
      {
        access_token: 'a',
        scope: 'repo,gist',
        token_type: 'bearer',
      },
    ],
    ['a form of one member', 'access_token=a', { access_token: 'a' }],
    ['a form with an empty member', 'access_token=a&scope=', { access_token: 'a', scope: '' }],
    ['a form with a line end', 'access_token=a\n', { access_token: 'a' }],
    ['a form after a byte order mark', '\uFEFFaccess_token=a', { access_token: 'a' }],
    ['plus signs of a form as spaces', 'scope=a+b', { scope: 'a b' }],
    ['an empty object', '{}', {}],
    [
      'integers beyond 2^53 as their digits',
      '{"user_id":17841405822304915,"deep":[{"n":-9007199254740993}],"max":9007199254740991}',
      { user_id: '17841405822304915', deep: [{ n: '-9007199254740993' }], max: 9007199254740991 },
    ],
    [
      'other large numbers as they are',
      '{"a":1e21,"b":0.12345678901234567890}',
      { a: 1e21, b: 0.12345678901234568 },
    ],
  ]
  for (const [what, text, expected] of readable) {
    it(`reads ${what}`, () => expect(parsed(text)).to.deep.equal(expected))
  }

  const unreadable: readonly (readonly [string, string | Buffer])[] = [
    ['nothing', ''],
    ['a page', '<!doctype html><a href="/?access_token=a&b=c">x</a>'],
    ['a sentence', 'access denied'],
    ['a list', '[{"access_token":"a"}]'],
    ['a string', '"access_token=a"'],
    ['a number', '1'],
    ['a long number', '17841405822304915'],
    ['null', 'null'],
    ['JSON that breaks off', '{"access_token":"a"'],
    ['JSON with more behind it', '{"access_token":"a"}{"access_token":"b"}'],
    ['a form with something else in it', 'access_token=a&b'],
    ['a form in which a name comes twice', 'access_token=a&access_token=b'],
    ['a form in which a name comes twice, spelled in two ways', 'access_token=a&access%5Ftoken=b'],
    ['bytes', Buffer.from([0xff, 0xfe, 0x00, 0x3d, 0x80])],
    ['JSON nested deep', `{"a":${'['.repeat(40)}${']'.repeat(40)}}`],
    ['JSON nested without end', `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
    ['JSON of many objects in each other', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ]
  for (const [what, text] of unreadable) {
    it(`does not read ${what}`, () =>
      expect(parseAnswerBody(Buffer.from(text))).to.equal(undefined))
  }

  it('has no prototype and none of the names that lead to one, at any depth', () => {
    const record = parseAnswerBody(
      Buffer.from(
        '{"__proto__":{"access_token":"p"},"constructor":{"x":1},"prototype":1,"a":{"__proto__":{"b":1},"c":[{"constructor":2}]}}',
      ),
    )
    expect(Object.keys(record ?? {})).to.deep.equal(['a'])
    expect(Object.getPrototypeOf(record)).to.equal(null)
    expect(record).to.not.have.property('access_token')
    const inner = valueAt(record ?? {}, ['a'])
    expect(Object.getPrototypeOf(inner)).to.equal(null)
    expect(JSON.stringify(inner)).to.equal('{"c":[{}]}')
    expect(Object.prototype).to.not.have.property('access_token')
  })

  it('drops those names of a form too', () => {
    expect(parsed('__proto__=x&constructor=y&access_token=a')).to.deep.equal({ access_token: 'a' })
  })

  it('finds what a path leads to, through objects only', () => {
    const record = parseAnswerBody(Buffer.from('{"a":{"b":{"c":1}},"l":[{"c":2}]}')) ?? {}
    expect(valueAt(record, ['a', 'b', 'c'])).to.equal(1)
    expect(valueAt(record, ['l', '0', 'c'])).to.equal(undefined)
    expect(valueAt(record, ['a', 'x', 'c'])).to.equal(undefined)
    expect(valueAt(record, ['a', 'toString'])).to.equal(undefined)
    expect(valueAt(record, [])).to.equal(record)
  })
})

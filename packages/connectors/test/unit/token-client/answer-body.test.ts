import { expect } from 'chai'
import fc from 'fast-check'
import { parseAnswerBody, valueAt } from '../../../src/token-client/answer-body.ts'
import { classifyAnswer } from '../../../src/token-client/classify.ts'
import { loggable } from '../../../src/token-client/provider-errors.ts'
import { sampleType } from '../../support/sample-type.ts'

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

describe('words of a provider in the log (connectors.md 4.6, 13)', () => {
  it('have at most 200 characters', () => {
    expect(loggable('x'.repeat(500), [])).to.equal('x'.repeat(200))
  })
  it('have no control characters, and nothing that turns text around', () => {
    expect(loggable('a\r\nb\u0000c\u001b[31md\u202ee\u2028f', [])).to.equal('abc[31mde\u2028f')
  })
  it('show nothing that was sent, as it was or percent-encoded', () => {
    const secrets = ['secret/token+1', 'code-123456']
    expect(loggable('no secret/token+1, no secret%2Ftoken%2B1, no code-123456', secrets)).to.equal(
      'no [redacted], no [redacted], no [redacted]',
    )
  })
  it('show no secret that comes with control characters in it', () => {
    expect(loggable('se\u0000cret-\u200dtoken', ['secret-token'])).to.equal('[redacted]')
  })
  it('show a part of a secret neither when the text is cut in its middle', () => {
    expect(loggable(`${'x'.repeat(195)}secret-token`, ['secret-token'])).to.not.include('secr')
  })
})

const NOW = Date.UTC(2026, 10, 22, 8)
const RUNS = { numRuns: 2000 }
const NAMES = [
  'access_token',
  'id_token',
  'refresh_token',
  'token_type',
  'expires_in',
  'expires',
  'expires_at',
  'refresh_expires_in',
  'scope',
  'error',
  'error_description',
  'ok',
  'status',
  'data',
  '__proto__',
  'constructor',
]

const value = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom('', '0', 'a b', 'invalid_grant', '3600', null, -1, 1e300, true, [], {}),
)
const members = fc.array(fc.tuple(fc.constantFrom(...NAMES), value), { maxLength: 8 })
const record = members.map((entries) => Object.fromEntries(entries))
const nested = fc.tuple(record, record).map(([root, data]) => ({ ...root, data }))
const json = fc.oneof(record, nested, value).map((content) => JSON.stringify(content))
const form = members.map((entries) =>
  entries
    .map(([name, content]) => `${name}=${encodeURIComponent(JSON.stringify(content))}`)
    .join('&'),
)
const mangled = fc
  .tuple(json, fc.nat(), fc.string())
  .map(([text, at, more]) => text.slice(0, at % (text.length + 1)) + more)
const body = fc.oneof(
  json.map((text) => Buffer.from(text)),
  form.map((text) => Buffer.from(text)),
  mangled.map((text) => Buffer.from(text)),
  json.map((text) => Buffer.from(`\uFEFF${text}`)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
)
const type = fc.constantFrom(
  sampleType(),
  sampleType({ scopeSeparator: ',', scopeFrom: 'callback' }),
  sampleType({ tokenResponsePath: ['data'], errorStatusPath: ['status'] }),
)
const kind = fc.constantFrom('exchange' as const, 'refresh' as const)
const status = fc.oneof(fc.constantFrom(200, 201, 302, 400, 401, 429, 500), fc.nat({ max: 999 }))

describe('any body at all', () => {
  it('never throws, and ends in a class or in usable tokens of a success', () => {
    fc.assert(
      fc.property(type, kind, status, body, (accountType, asked, code, bytes) => {
        const answer = { status: code, headers: {}, body: bytes }
        const { result } = classifyAnswer(accountType, asked, answer, NOW)
        if (!result.ok) {
          expect(result.reason).to.have.length.greaterThan(0)
          return
        }
        const { accessToken, expiresAt, refreshExpiresAt } = result.tokens
        expect(code).to.be.within(200, 299)
        expect(accessToken).to.match(/^[\x20-\x7e]{1,16384}$/)
        for (const instant of [expiresAt, refreshExpiresAt]) {
          if (instant !== undefined) expect(instant).to.be.greaterThan(NOW)
        }
        expect(Object.keys(result.tokens.rest)).to.not.include('__proto__')
        expect(JSON.stringify(result.tokens)).to.be.a('string')
      }),
      RUNS,
    )
  })

  it('never gives a token that is not the one of the answer', () => {
    fc.assert(
      fc.property(type, kind, body, (accountType, asked, bytes) => {
        const answer = { status: 200, headers: {}, body: bytes }
        const { result } = classifyAnswer(accountType, asked, answer, NOW)
        if (!result.ok) return
        const root = parseAnswerBody(bytes) ?? {}
        const isNested = accountType.tokenResponsePath.length > 0
        // JSON values, whatever they are.
        const inner = (root['data'] ?? {}) as Readonly<Record<string, unknown>>
        const mayBe = isNested ? (asked === 'refresh' ? [inner, root] : [inner]) : [root]
        const tokens = mayBe.flatMap((holder) => [holder['access_token'], holder['id_token']])
        expect(tokens).to.include(result.tokens.accessToken)
        if (result.tokens.refreshToken !== undefined) {
          expect(mayBe.map((holder) => holder['refresh_token'])).to.include(
            result.tokens.refreshToken,
          )
        }
        expect(root['error'] ?? '').to.satisfy(isNoError)
      }),
      RUNS,
    )
  })
})

function isNoError(error: unknown): boolean {
  const isEmpty = typeof error === 'object' && error !== null && Object.keys(error).length === 0
  return isEmpty || error === '' || error === false || error === 0
}

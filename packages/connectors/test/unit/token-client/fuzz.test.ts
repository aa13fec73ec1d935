import { expect } from 'chai'
import fc from 'fast-check'
import { parseAnswerBody } from '../../../src/token-client/answer-body.ts'
import { classifyAnswer } from '../../../src/token-client/classify.ts'
import { sampleType } from '../../support/sample-type.ts'

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

import { type OutboundAnswer, OutboundError, type OutboundFailure } from '@svc/platform'
import { expect } from 'chai'
import type { AccountType } from '../../../src/account-types/account-type.ts'
import {
  type Classified,
  classifyAnswer,
  classifyFailure,
} from '../../../src/token-client/classify.ts'
import { sampleType } from '../../support/sample-type.ts'

const NOW = Date.UTC(2026, 10, 22, 8)
const GOOD = { access_token: 'a', token_type: 'bearer' }

function answer(
  status: number,
  body: object | string,
  headers: OutboundAnswer['headers'] = {},
): OutboundAnswer {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { status, headers, body: Buffer.from(text) }
}

function classified(
  status: number,
  body: object | string,
  fields: Partial<AccountType> = {},
  headers: OutboundAnswer['headers'] = {},
): Classified {
  return classifyAnswer(sampleType(fields), 'refresh', answer(status, body, headers), NOW)
}

/** `ok`, or the class and the reason. */
function verdict(...args: Parameters<typeof classified>): string {
  const { result } = classified(...args)
  return result.ok ? 'ok' : `${result.class}: ${result.reason}`
}

describe('answers of a token endpoint (connectors.md 6.3, 8.4)', () => {
  describe('rule 1: the status', () => {
    for (const status of [200, 201, 202, 203, 299]) {
      it(`${status} is a success`, () => expect(verdict(status, GOOD)).to.equal('ok'))
    }
    for (const status of [300, 301, 302, 303, 304, 307, 308]) {
      it(`${status} is invalid, whatever it carries`, () => {
        expect(verdict(status, GOOD)).to.equal('invalid: redirect')
        expect(verdict(status, { error: 'invalid_grant' })).to.equal('invalid: redirect')
      })
    }
    for (const status of [400, 404, 500]) {
      it(`${status} is no success though it has a token`, () => {
        expect(verdict(status, GOOD)).to.not.equal('ok')
      })
    }
  })

  describe('rule 3: errors, whatever the status', () => {
    const cases: readonly (readonly [object, string])[] = [
      [{ error: 'bad_verification_code' }, 'error: bad_verification_code'],
      [{ error: { type: 'OAuthException', code: 190, message: 'x' } }, 'error: OAuthException'],
      [{ error: { code: 190, message: 'x' } }, 'error: 190'],
      [{ error: { message: 'expired' } }, 'error: expired'],
      [{ error: { hint: 'x' } }, 'error: unnamed_error'],
      [{ error: ['x'] }, 'error: unnamed_error'],
      [{ error: true }, 'error: unnamed_error'],
      [{ error: 17 }, 'error: 17'],
      [{ ok: false, error: 'token_expired' }, 'error: token_expired'],
      [{ ok: false }, 'error: not_ok'],
      [{ error: '' }, 'ok'],
      [{ error: null }, 'ok'],
      [{ error: false }, 'ok'],
      [{ error: 0 }, 'ok'],
      [{ error: [] }, 'ok'],
      [{ error: {} }, 'ok'],
      [{ ok: true }, 'ok'],
      [{ ok: 0 }, 'ok'],
    ]
    for (const [members, expected] of cases) {
      it(`a 200 with ${JSON.stringify(members)} beside a token: ${expected}`, () => {
        expect(verdict(200, { ...GOOD, ...members })).to.equal(expected)
      })
    }
    it('are found in the object of the path too', () => {
      const fields = { tokenResponsePath: ['data'] }
      expect(verdict(200, { data: { error: 'invalid_grant' } }, fields)).to.equal(
        'revoked: invalid_grant',
      )
    })
    const withings = { tokenResponsePath: ['body'], errorStatusPath: ['status'] }
    const statuses: readonly (readonly [object, string])[] = [
      [{ status: 0, body: GOOD }, 'ok'],
      [{ status: '0', body: GOOD }, 'ok'],
      [{ body: GOOD }, 'ok'],
      [{ status: 601, body: GOOD }, 'error: 601'],
      [{ status: '601', body: GOOD }, 'error: 601'],
      [{ status: -1, body: GOOD }, 'error: -1'],
      [{ status: 503, body: {}, error: 'Invalid Params' }, 'error: Invalid Params'],
    ]
    for (const [body, expected] of statuses) {
      it(`a type with a status in its answers says of ${JSON.stringify(body)}: ${expected}`, () => {
        expect(verdict(200, body, withings)).to.equal(expected)
      })
    }
    it('"reconnect" may be a code of any of these forms', () => {
      const fields = { ...withings, revokedErrors: ['401', '190', 'token_revoked'] }
      expect(verdict(200, { status: 401, body: {} }, fields)).to.equal('revoked: 401')
      expect(verdict(400, { error: { type: 'OAuthException', code: 190 } }, fields)).to.equal(
        'revoked: OAuthException',
      )
      expect(verdict(200, { ok: false, error: 'token_revoked' }, fields)).to.equal(
        'revoked: token_revoked',
      )
    })
  })

  describe('classes (8.4)', () => {
    const cases: readonly (readonly [number, object | string, string])[] = [
      [200, { error: 'invalid_grant' }, 'revoked: invalid_grant'],
      [400, { error: 'invalid_grant' }, 'revoked: invalid_grant'],
      [401, { error: 'invalid_grant' }, 'revoked: invalid_grant'],
      [429, { error: 'invalid_grant' }, 'revoked: invalid_grant'],
      [500, { error: 'invalid_grant' }, 'revoked: invalid_grant'],
      [400, { error: 'invalid_token' }, 'revoked: invalid_token'],
      [200, 'error=invalid_grant&error_description=x', 'revoked: invalid_grant'],
      [200, { error: 'invalid_client' }, 'config: invalid_client'],
      [400, { error: 'unauthorized_client' }, 'config: unauthorized_client'],
      [500, { error: 'invalid_client' }, 'config: invalid_client'],
      [401, { error: 'something' }, 'config: something'],
      [401, '', 'config: http_401'],
      [429, '', 'limited: http_429'],
      [429, { error: 'slow_down' }, 'limited: slow_down'],
      [400, { error: 'invalid_request' }, 'error: invalid_request'],
      [400, '<html>', 'error: http_400'],
      [403, {}, 'error: http_403'],
      [404, 'not found', 'error: http_404'],
      [500, '', 'unavailable: http_500'],
      [502, '<html>', 'unavailable: http_502'],
      [503, { error: 'temporarily_unavailable' }, 'unavailable: temporarily_unavailable'],
      [200, '', 'invalid: body'],
      [204, '', 'invalid: body'],
      [200, '<html>', 'invalid: body'],
      [200, '[]', 'invalid: body'],
      [200, {}, 'invalid: no_token'],
      [200, { access_token: '' }, 'invalid: no_token'],
      [200, { refresh_token: 'r', expires_in: 1 }, 'invalid: no_token'],
    ]
    for (const [status, body, expected] of cases) {
      it(`${status} ${JSON.stringify(body).slice(0, 60)}: ${expected}`, () => {
        expect(verdict(status, body)).to.equal(expected)
      })
    }
    it('codes of the type mean "reconnect" for it alone', () => {
      const body = { error: 'bad_refresh_token' }
      expect(verdict(200, body, { revokedErrors: ['bad_refresh_token'] })).to.equal(
        'revoked: bad_refresh_token',
      )
      expect(verdict(200, body)).to.equal('error: bad_refresh_token')
    })
    const failures: Readonly<Record<OutboundFailure, string>> = {
      refused: 'error: refused',
      unreachable: 'unavailable: unreachable',
      timeout: 'timeout: timeout',
      too_large: 'invalid: too_large',
      malformed: 'invalid: malformed',
    }
    for (const [kind, expected] of Object.entries(failures)) {
      it(`no answer, ${kind}: ${expected}`, () => {
        // Entries of an object forget the names of its type.
        const error = new OutboundError(kind as OutboundFailure, 'detail')
        const { result } = classifyFailure(error)
        expect(result.ok || `${result.class}: ${result.reason}`).to.equal(expected)
      })
    }
  })

  describe('Retry-After', () => {
    const values: readonly (readonly [string | undefined, number | undefined])[] = [
      ['5', 5],
      [' 120 ', 120],
      ['0', 0],
      ['Sun, 22 Nov 2026 08:00:30 GMT', 30],
      ['Sun, 22 Nov 2026 07:00:00 GMT', 0],
      [undefined, undefined],
      ['', undefined],
      ['-5', undefined],
      ['1.5', undefined],
      ['soon', undefined],
      ['99999999999999', undefined],
      ['2026-11-22T08:00:30', undefined],
    ]
    for (const [value, expected] of values) {
      it(`${value ?? 'absent'} is ${expected ?? 'not known'}`, () => {
        const { result } = classified(
          503,
          '',
          {},
          value === undefined ? {} : { 'retry-after': value },
        )
        expect(result).to.have.property('ok', false)
        if (expected === undefined) expect(result).to.not.have.property('retryAfterS')
        else expect(result).to.have.property('retryAfterS', expected)
      })
    }
  })

  it('keeps what the provider says about an error', () => {
    expect(classified(400, { error: 'x', error_description: 'because' }).description).to.equal(
      'because',
    )
    expect(classified(400, { error: { type: 'x', message: 'because' } }).description).to.equal(
      'because',
    )
  })
})

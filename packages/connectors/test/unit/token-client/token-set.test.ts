import { expect } from 'chai'
import type { AccountType } from '../../../src/account-types/account-type.ts'
import { parseAnswerBody } from '../../../src/token-client/answer-body.ts'
import type { TokenSet } from '../../../src/token-client/provider.ts'
import { type TokenKind, tokenSetOf } from '../../../src/token-client/token-set.ts'
import { sampleType } from '../../support/sample-type.ts'

const NOW = Date.UTC(2026, 10, 22, 8)

function read(
  body: object,
  fields: Partial<AccountType> = {},
  kind: TokenKind = 'exchange',
): TokenSet | undefined {
  const record = parseAnswerBody(Buffer.from(JSON.stringify(body)))
  return record && tokenSetOf(sampleType(fields), record, kind, NOW)
}

/** Of an answer that has an access token beside these members. */
function readWith(members: object, fields: Partial<AccountType> = {}): TokenSet | undefined {
  return read({ access_token: 'a', ...members }, fields)
}

describe('tokens of an answer (connectors.md 6.3)', () => {
  describe('rule 5: the access token', () => {
    it('is taken as sent', () => {
      expect(read({ access_token: ' a.b~/=+ ' })?.accessToken).to.equal(' a.b~/=+ ')
    })
    it('is the id token when there is none', () => {
      for (const nothing of [{}, { access_token: null }]) {
        expect(read({ ...nothing, id_token: 'x.y.z' })).to.include({
          accessToken: 'x.y.z',
          idToken: 'x.y.z',
        })
      }
    })
    it('wins over an id token, junk or not', () => {
      expect(read({ access_token: 'a', id_token: 'junk' })).to.include({
        accessToken: 'a',
        idToken: 'junk',
      })
      expect(read({ access_token: 'a', id_token: 7 })).to.not.have.property('idToken')
    })
    it('may have 16 384 characters', () => {
      expect(read({ access_token: 'a'.repeat(16_384) })).to.not.equal(undefined)
      expect(read({ access_token: 'a'.repeat(16_385) })).to.equal(undefined)
    })
    const unusable: readonly unknown[] = ['', 1, true, ['a'], { a: 1 }, 'é', 'a\nb', 'a\u0000']
    for (const value of unusable) {
      it(`makes the answer unusable when it is ${JSON.stringify(value)}, id token or not`, () => {
        expect(read({ access_token: value })).to.equal(undefined)
        expect(read({ access_token: value, id_token: 'x.y.z' })).to.equal(undefined)
      })
    }
    it('makes the answer unusable when neither is there', () => {
      expect(read({ token_type: 'bearer', expires_in: 3600 })).to.equal(undefined)
      expect(read({ id_token: '' })).to.equal(undefined)
    })
  })

  describe('rule 6: the type', () => {
    const types: readonly (readonly [unknown, string])[] = [
      ['bearer', 'bearer'],
      ['MAC', 'MAC'],
      ['user', 'user'],
      [undefined, 'Bearer'],
      [null, 'Bearer'],
      ['', 'Bearer'],
    ]
    for (const [sent, expected] of types) {
      it(`is ${expected} when ${JSON.stringify(sent) ?? 'nothing'} was sent`, () => {
        expect(readWith({ token_type: sent })?.tokenType).to.equal(expected)
      })
    }
  })

  describe('rule 7: the expiry', () => {
    const known: readonly (readonly [object, number])[] = [
      [{ expires_in: 3600 }, NOW + 3_600_000],
      [{ expires_in: '3600' }, NOW + 3_600_000],
      [{ expires_in: ' 3600 ' }, NOW + 3_600_000],
      [{ expires_in: 3600.9 }, NOW + 3_600_000],
      [{ expires_in: '59.5' }, NOW + 59_000],
      [{ expires: 5_184_000 }, NOW + 5_184_000_000],
      [{ expires: '5184000' }, NOW + 5_184_000_000],
      [{ expires_in: 60, expires: 120, expires_at: 1 }, NOW + 60_000],
      [{ expires_in: null, expires: 120 }, NOW + 120_000],
      [{ expires_in: 'soon', expires_at: NOW / 1000 + 90 }, NOW + 90_000],
      [{ expires_at: NOW / 1000 + 90 }, NOW + 90_000],
      [{ expires_at: String(NOW / 1000 + 90) }, NOW + 90_000],
      [{ expires_at: NOW + 90_000 }, NOW + 90_000],
      [{ expires_at: '2026-11-22T09:00:00Z' }, NOW + 3_600_000],
      [{ expires_at: '2026-11-22T10:00:00.500+01:00' }, NOW + 3_600_500],
      [{ expires_at: '2026-11-22T09:00:00' }, NOW + 3_600_000],
      [{ expires_at: '2026-11-22 09:00:00' }, NOW + 3_600_000],
      [{ expires_in: 99 * 365 * 86_400 }, NOW + 99 * 365 * 86_400_000],
    ]
    for (const [members, expected] of known) {
      it(`is understood in ${JSON.stringify(members)}`, () => {
        expect(readWith(members)?.expiresAt).to.equal(expected)
      })
    }
    const unknown: readonly object[] = [
      {},
      { expires_in: 0 },
      { expires_in: '0' },
      { expires_in: 0.5 },
      { expires_in: -1 },
      { expires_in: '-1' },
      { expires_in: null },
      { expires_in: '' },
      { expires_in: 'never' },
      { expires_in: true },
      { expires_in: [3600] },
      { expires_in: '0x10' },
      { expires_in: '1e3' },
      { expires_in: 101 * 365.25 * 86_400 },
      { expires_in: 1e300 },
      { expires_at: NOW / 1000 - 1 },
      { expires_at: '2020-01-01T00:00:00Z' },
      { expires_at: '2126-12-01T00:00:00Z' },
      { expires_at: '2026-13-45T99:00:00Z' },
      { expires_at: 'tomorrow' },
      { expires_at: {} },
    ]
    for (const members of unknown) {
      it(`is unknown, and no error, in ${JSON.stringify(members)}`, () => {
        expect(readWith(members)).to.be.an('object').that.does.not.have.property('expiresAt')
      })
    }
  })

  describe('rule 8: the refresh token', () => {
    it('is taken when there is one', () => {
      expect(readWith({ refresh_token: 'r é' })?.refreshToken).to.equal('r é')
    })
    for (const nothing of [undefined, null, '', 0, false, [], {}]) {
      it(`stays what it was when ${JSON.stringify(nothing) ?? 'nothing'} is sent`, () => {
        expect(readWith({ refresh_token: nothing })).to.not.have.property('refreshToken')
      })
    }
    it('makes the answer unusable when it is longer than 16 384 characters', () => {
      expect(readWith({ refresh_token: 'r'.repeat(16_385) })).to.equal(undefined)
    })
    it('has an end of its own, under either name', () => {
      expect(readWith({ refresh_token_expires_in: '60' })?.refreshExpiresAt).to.equal(NOW + 60_000)
      expect(readWith({ refresh_expires_in: 60 })?.refreshExpiresAt).to.equal(NOW + 60_000)
      expect(readWith({ refresh_expires_in: 0 })).to.not.have.property('refreshExpiresAt')
    })
  })

  describe('rule 9: the scope', () => {
    const scopes: readonly (readonly [unknown, string, string | undefined])[] = [
      ['a b', ' ', 'a b'],
      ['a,b', ' ', 'a b'],
      ['a, b  a', ' ', 'a b'],
      ['a;b,c', ';', 'a b c'],
      ['a+b', '+', 'a b'],
      [['a', 'b c', 7, 'd,e'], ' ', 'a b c d e'],
      ['', ' ', ''],
      [undefined, ' ', undefined],
      [null, ' ', undefined],
      [7, ' ', undefined],
      [[], ' ', undefined],
      [[7], ' ', undefined],
      ['a'.repeat(20_000), ' ', undefined],
    ]
    for (const [sent, scopeSeparator, expected] of scopes) {
      const shown = JSON.stringify(sent)?.slice(0, 40) ?? 'nothing'
      it(`of ${shown} separated by "${scopeSeparator}" is ${JSON.stringify(expected)}`, () => {
        const tokens = readWith({ scope: sent }, { scopeSeparator })
        expect(tokens?.scope).to.equal(expected)
        if (expected === undefined) expect(tokens).to.not.have.property('scope')
      })
    }
    it('is not read here when the type has it from the callback (D38)', () => {
      expect(readWith({ scope: 'a b' }, { scopeFrom: 'callback' })).to.not.have.property('scope')
    })
  })

  describe('rule 4: tokens under a path', () => {
    const nested = { data: { oauth: { access_token: 'in', refresh_token: 'r', expires_in: 60 } } }
    const under = { tokenResponsePath: ['data', 'oauth'] }
    it('are read there, and nowhere else', () => {
      expect(read({ ...nested, access_token: 'out', scope: 'x' }, under)).to.deep.include({
        accessToken: 'in',
        refreshToken: 'r',
        expiresAt: NOW + 60_000,
      })
      expect(read({ ...nested, scope: 'x' }, under)).to.not.have.property('scope')
    })
    for (const data of [undefined, null, 'x', [], {}, { oauth: [] }, { oauth: { id: 1 } }]) {
      it(`are missed in ${JSON.stringify({ data })}, whatever the root has`, () => {
        expect(read({ data, access_token: 'out' }, under)).to.equal(undefined)
      })
    }
    it('may stand at the root in the answer to a refresh (Slack)', () => {
      const slack = { tokenResponsePath: ['authed_user'] }
      const flat = { ok: true, access_token: 'out', refresh_token: 'r', authed_user: { id: 'U1' } }
      expect(read(flat, slack)).to.equal(undefined)
      expect(read(flat, slack, 'refresh')?.accessToken).to.equal('out')
      const both = { access_token: 'bot', authed_user: { access_token: 'user' } }
      expect(read(both, slack, 'refresh')?.accessToken).to.equal('user')
    })
  })

  describe('rule 11: everything else', () => {
    it('is kept without credentials', () => {
      const rest = readWith({
        refresh_token: 'r',
        token_type: 'bearer',
        expires_in: 1,
        id_token: 'x.y.z',
        scope: 'a',
        user: { id: 7, access_token: 'kept' },
      })?.rest
      expect(JSON.parse(JSON.stringify(rest))).to.deep.equal({
        id_token: 'x.y.z',
        scope: 'a',
        user: { id: 7, access_token: 'kept' },
      })
    })
    it('has no credentials of the object under the path, nor of the root', () => {
      const rest = read(
        {
          access_token: 'bot',
          team: { id: 'T1' },
          authed_user: { id: 'U1', access_token: 'user', refresh_token: 'r', expires_in: 1 },
        },
        { tokenResponsePath: ['authed_user'] },
      )?.rest
      expect(JSON.parse(JSON.stringify(rest))).to.deep.equal({
        team: { id: 'T1' },
        authed_user: { id: 'U1' },
      })
    })
  })
})

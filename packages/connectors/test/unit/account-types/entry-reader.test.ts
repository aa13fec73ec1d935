import { expect } from 'chai'
import type { AccountTypeEntry } from '../../../src/account-types/account-type.ts'
import { createEntryReader } from '../../../src/account-types/entry-reader.ts'
import { recordedLog } from '../../support/recorded-log.ts'

const ENTRY: AccountTypeEntry = {
  _id: 'work/bank',
  slug: 'bank',
  grant_mode: 'authorization_code+secret',
  client_id: 'id',
  client_secret: 's3cret',
  secret: { pin: '1234' },
  auth_endpoint: 'https://bank.example.com/authorize',
  token_endpoint: 'https://bank.example.com/token',
}

/** Something stored by another version: the type does not hold. */
function stored(fields: Readonly<Record<string, unknown>>): AccountTypeEntry {
  return { ...ENTRY, ...fields } as AccountTypeEntry
}

describe('createEntryReader', () => {
  it('fills in what the entry does not say', () => {
    const type = createEntryReader({ log: recordedLog() }).read('work/bank', ENTRY)
    const { clientSecret, secret, ...rest } = type
    expect(clientSecret?.reveal()).to.equal('s3cret')
    expect(secret?.reveal()).to.deep.equal({ pin: '1234' })
    expect(rest).to.deep.equal({
      name: 'bank',
      id: 'work/bank',
      slug: 'bank',
      preset: undefined,
      grantMode: 'authorization_code+secret',
      isInteractive: true,
      clientId: 'id',
      authEndpoint: 'https://bank.example.com/authorize',
      tokenEndpoint: 'https://bank.example.com/token',
      refreshEndpoint: undefined,
      revocationEndpoint: undefined,
      issuer: undefined,
      tokenMode: 'form',
      redirectUri: undefined,
      extras: {},
      skipsRedirectUriOnAuthorize: false,
      skipsStateOnToken: false,
      pkce: undefined,
      scopeSeparator: ' ',
      scopeParam: 'scope',
      scopeFrom: 'token',
      addedScopes: [],
      tokenBasicEncoding: 'raw',
      tokenBodyFormat: 'form',
      tokenParams: {},
      refreshParams: {},
      tokenHeaders: {},
      tokenTypes: [],
      tokenResponsePath: [],
      errorStatusPath: undefined,
      callbackParams: [],
      revokedErrors: [],
      configErrors: [],
      laterErrors: [],
      errorPaths: [],
      sendsNonceOnToken: false,
      hasBrowserBinding: true,
      refreshMarginMs: undefined,
      isKeptAlive: false,
      isTrustedNetwork: false,
      fault: undefined,
    })
  })

  it('takes every field over in its own form', () => {
    const { read } = createEntryReader({ log: recordedLog() })
    const type = read(
      'bank',
      stored({
        token_mode: 'post',
        refresh_margin: 90,
        token_response_path: 'data.tokens',
        browser_binding: false,
        keepalive: true,
        nonce_on_token: true,
        skip_redirect_uri_on_authorize: true,
      }),
    )
    expect(type).to.deep.include({
      tokenMode: 'form',
      refreshMarginMs: 90_000,
      tokenResponsePath: ['data', 'tokens'],
      hasBrowserBinding: false,
      isKeptAlive: true,
      sendsNonceOnToken: true,
      skipsRedirectUriOnAuthorize: true,
      fault: undefined,
    })
  })

  it('is interactive for the modes with an authorization code, and for no other', () => {
    const { read } = createEntryReader({ log: recordedLog() })
    const isInteractive = (grant_mode: string) => read('x', stored({ grant_mode })).isInteractive
    expect(isInteractive('authorization_code')).to.equal(true)
    expect(isInteractive('authorization_code+secret')).to.equal(true)
    expect(isInteractive('refresh_token')).to.equal(false)
    expect(isInteractive('secret')).to.equal(false)
  })

  it('reads an unknown token mode as form, with a warning (2.2, 5)', () => {
    const log = recordedLog()
    const { read } = createEntryReader({ log })
    for (const token_mode of ['digest', 7, null]) {
      const type = read('work/bank', stored({ token_mode }))
      expect([type.tokenMode, type.fault]).to.deep.equal(['form', undefined])
    }
    expect(log.of('account_type.unknown_token_mode')).to.deep.equal(
      Array.from({ length: 3 }, () => ({ accountType: 'work/bank' })),
    )
    const spotify = read('x', stored({ preset: 'spotify', token_mode: 'digest' }))
    expect(spotify.tokenMode).to.equal('form')
  })

  it('says what is wrong with any other field of OAuth, and does not hold that field (2.2, 5)', () => {
    const log = recordedLog()
    const { read } = createEntryReader({ log })
    const wrong: Readonly<Record<string, unknown>> = {
      auth_endpoint: 'http://bank.example.com/',
      token_endpoint: 'https://u:p@bank.example.com/',
      client_id: 7,
      grant_mode: 'bi_webauth',
      pkce: 'plain',
      extras: { a: 1 },
      preset: 'nobody',
      redirect_uri: 'https://alice.example.com/accounts/other/redirect',
    }
    for (const [field, value] of Object.entries(wrong)) {
      const type = read('bank', stored({ [field]: value }))
      expect(type.fault?.field.split('/')[0], field).to.equal(field)
      expect(JSON.stringify(type), field).not.to.include(String(value))
    }
    expect(log.of('account_type.invalid')).to.have.length(Object.keys(wrong).length)
  })

  it('goes on when something is wrong that OAuth does not need', () => {
    const { read } = createEntryReader({ log: recordedLog() })
    for (const [field, value] of Object.entries({ slug: 'A B', push_credentials: 'x' })) {
      expect(read('bank', stored({ [field]: value })).fault, field).to.equal(undefined)
    }
    expect(read('bank', stored({ slug: 'A B' })).slug).to.equal(undefined)
    expect(read('bank', ENTRY, ['secret', 'push_credentials']).fault).to.equal(undefined)
  })

  it('is of no use for OAuth without the client secret that it has', () => {
    const { read } = createEntryReader({ log: recordedLog() })
    const { client_secret: _, ...others } = ENTRY
    expect(read('bank', others, ['client_secret']).fault).to.deep.equal({
      field: 'client_secret',
      reason: 'cannot be opened',
    })
  })

  it('goes by the id it is stored under', () => {
    const { read } = createEntryReader({ log: recordedLog() })
    const type = read('other', stored({ _id: 'bank' }))
    expect([type.id, type.name]).to.deep.equal(['other', 'other'])
  })
})

import { inspect } from 'node:util'
import { expect } from 'chai'
import fc from 'fast-check'
import type { AccountTypeEntry } from '../../../src/account-types/account-type.ts'
import { checkEntry } from '../../../src/account-types/check-entry.ts'
import { createEntryReader } from '../../../src/account-types/entry-reader.ts'
import { entrySchema } from '../../../src/account-types/entry.schema.ts'
import { applyPreset, PRESETS } from '../../../src/account-types/presets.ts'
import {
  createSecret,
  guardParameters,
  isSealedField,
  isSecretField,
  maskEntry,
} from '../../../src/account-types/secrets.ts'
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
})

const MARK = 's3cret-value'
const FIELDS = Object.keys(entrySchema['properties'] as object)

/** Any JSON, with the mark in its texts. */
const odd = fc
  .jsonValue({ maxDepth: 3 })
  .map(
    (value) =>
      JSON.parse(
        JSON.stringify(value, (_, inner: unknown) =>
          typeof inner === 'string' ? `${MARK}${inner}` : inner,
        ),
      ) as unknown,
  )
const oddEntry = fc.dictionary(fc.constantFrom(...FIELDS, 'redirect_url', 'future'), odd)

describe('odd entries', () => {
  const good = { _id: 'bank', preset: 'google', client_id: 'id', client_secret: 'secret' }

  it('are refused without an exception and without a word of what they hold', () => {
    fc.assert(
      fc.property(fc.oneof(odd, oddEntry), (value) => {
        const { faults } = checkEntry(value)
        for (const { reason } of faults) expect(reason).not.to.include(MARK)
      }),
      { numRuns: 500 },
    )
  })

  it('leave only right fields, which are accepted again', () => {
    fc.assert(
      fc.property(oddEntry, (fields) => {
        const { entry } = checkEntry({ ...good, ...fields, _id: 'bank' })
        const again = checkEntry(entry).faults.filter(({ reason }) => !reason.includes('missing'))
        expect(again).to.deep.equal([])
      }),
      { numRuns: 500 },
    )
  })

  it('never keep a type from being read', () => {
    const reader = createEntryReader({ log: recordedLog() })
    fc.assert(
      fc.property(oddEntry, (fields) => {
        // What another version stored is anything.
        const type = reader.read('bank', { ...good, ...fields } as AccountTypeEntry)
        expect(type.id).to.equal('bank')
        for (const url of [type.authEndpoint, type.tokenEndpoint, type.issuer]) {
          if (url !== undefined) expect(url).to.match(/^https:/)
        }
      }),
      { numRuns: 500 },
    )
  })
})

const CLIENT = { client_id: 'id', client_secret: 'secret' }
const reader = createEntryReader({ log: recordedLog() })
const read = (preset: string, fields: object = {}) =>
  reader.read('x', { _id: 'x', preset, ...CLIENT, ...fields })

describe('presets (connectors.md 2.4; D38)', () => {
  for (const preset of Object.keys(PRESETS)) {
    it(`needs of the operator of ${preset} no more than the client's id and secret`, () => {
      const type = read(preset)
      expect(type.fault).to.equal(undefined)
      expect(type.isInteractive).to.equal(true)
      for (const url of [type.authEndpoint, type.tokenEndpoint]) expect(url).to.match(/^https:/)
      const { faults } = checkEntry({ _id: 'x', ...PRESETS[preset], ...CLIENT })
      expect(faults).to.deep.equal([])
    })
  }

  it("lets the entry's own fields come first, member by member of maps, and joins lists", () => {
    const own = {
      _id: 'x',
      preset: 'google',
      token_endpoint: 'https://token.example.com/',
      extras: { prompt: 'select_account', hd: 'example.com' },
      revoked_errors: ['gone'],
    }
    const google = applyPreset(own)
    expect(google.token_endpoint).to.equal('https://token.example.com/')
    expect(google.auth_endpoint).to.equal(PRESETS['google']?.auth_endpoint)
    expect(google.extras).to.deep.equal({
      access_type: 'offline',
      prompt: 'select_account',
      hd: 'example.com',
    })
    const slack = applyPreset({ _id: 'x', preset: 'slack', revoked_errors: ['gone'] })
    expect(slack.revoked_errors).to.include.members(['invalid_refresh_token', 'gone'])
  })

  it('wants a client secret where a provider has no PKCE to do without one', () => {
    const { faults } = checkEntry({ _id: 'x', preset: 'linkedin', client_id: 'id' })
    expect(faults.map(({ field }) => field)).to.deep.equal(['client_secret'])
    expect(checkEntry({ _id: 'x', preset: 'google', client_id: 'id' }).faults).to.deep.equal([])
  })

  it('does not take names of JavaScript for presets', () => {
    for (const preset of ['__proto__', 'constructor', 'toString', 'fitbit']) {
      expect(read(preset).fault?.field, preset).to.equal('preset')
    }
  })
})

describe('createSecret (connectors.md 3.3, number 3)', () => {
  const secret = createSecret({ key: 'pr1vate' })

  it('gives its value to whoever asks for it by name', () => {
    expect(secret.reveal()).to.deep.equal({ key: 'pr1vate' })
  })

  it('prints as [redacted] in inspect, JSON, templates and as text', () => {
    const shown = [
      inspect(secret),
      inspect({ deep: [secret] }, { depth: 9, showHidden: true }),
      JSON.stringify({ secret }),
      // What a template does.
      `${secret as unknown as string}`,
      String(secret),
      inspect(Object.values(secret), { showHidden: true }),
    ]
    for (const text of shown) expect(text).not.to.include('pr1vate')
    expect(shown.slice(0, 1)).to.deep.equal(['[redacted]'])
    expect(shown[2]).to.equal('{"secret":"[redacted]"}')
    expect(shown[3]).to.equal('[redacted]')
  })
})

describe('entries in lists and logs', () => {
  const entry: AccountTypeEntry = {
    _id: 'bank',
    slug: 'bank',
    client_id: 'id-1',
    client_secret: 's3cret',
    secret: { anything: 's3cret' },
    push_credentials: { type: 'service_account', private_key: 's3cret' },
    apns_credentials: { key: 's3cret' },
    clientSecert: 'typo',
    client_secrets: 's3cret',
    token_headers: { 'X-Api-Key': 's3cret', 'User-Agent': 'us' },
  }

  it('show that secrets are there, and no more', () => {
    expect(maskEntry(entry)).to.deep.equal({
      _id: 'bank',
      slug: 'bank',
      client_id: 'id-1',
      client_secret: true,
      secret: true,
      push_credentials: true,
      apns_credentials: true,
      clientSecert: 'typo',
      client_secrets: true,
      token_headers: { 'X-Api-Key': true, 'User-Agent': 'us' },
    })
  })

  it('have parameters that are masked when they are printed, and sent as they are', () => {
    const headers = guardParameters({ 'X-Api-Key': 's3cret', 'User-Agent': 'us' })
    for (const text of [inspect(headers), inspect({ headers }), JSON.stringify({ headers })]) {
      expect(text).not.to.include('s3cret')
      expect(text).to.include('us')
    }
    expect(JSON.stringify({ ...headers })).to.include('s3cret')
    expect(Object.keys(headers)).to.deep.equal(['X-Api-Key', 'User-Agent'])
  })

  it('have their secrets and the parameters of calls sealed, and nothing that is looked up by', () => {
    const secrets = ['client_secret', 'secret', 'push_credentials', 'apns_credentials']
    expect(secrets.filter((name) => !isSecretField(name))).to.deep.equal([])
    const sealed = [...secrets, 'token_params', 'refresh_params', 'token_headers']
    expect(sealed.filter((name) => !isSealedField(name))).to.deep.equal([])
    const clear = ['_id', 'slug', 'client_id', 'auth_endpoint', 'grant_mode', 'preset']
    expect(clear.filter((name) => isSealedField(name))).to.deep.equal([])
  })
})

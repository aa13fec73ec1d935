import { expect } from 'chai'
import { checkEntry } from '../../../src/account-types/check-entry.ts'

const ENTRY = {
  _id: 'bank',
  grant_mode: 'authorization_code',
  client_id: 'id',
  client_secret: 'secret',
  auth_endpoint: 'https://bank.example.com/authorize?x=1',
  token_endpoint: 'https://bank.example.com/token',
}

/** Names of the fields that are refused when these are added to a good entry. */
function refused(fields: Readonly<Record<string, unknown>>): readonly string[] {
  return checkEntry({ ...ENTRY, ...fields }).faults.map(({ field }) => field)
}

describe('checkEntry (connectors.md 2.1, 2.2)', () => {
  it('lets a good entry through as it is, unknown fields included', () => {
    const entry = {
      ...ENTRY,
      slug: 'bank',
      redirect_uri: 'https://alice.example.com/accounts/bank/redirect',
      extras: { display: 'popup', 'ui:locale': 'fr FR' },
      token_headers: { 'User-Agent': 'us/1.0' },
      refresh_margin: 60,
      future: { anything: [1, null, 'é'] },
    }
    expect(checkEntry(entry)).to.deep.equal({ entry, faults: [] })
  })

  it('lets an entry through that is only there for push or for a secret', () => {
    for (const entry of [
      { _id: 'ctx/app', push_credentials: { type: 'service_account' } },
      { _id: 'app', apns_credentials: { key: 'k' } },
      { _id: 'app', grant_mode: 'secret', secret: { user: 'u' } },
      { _id: 'app', grant_mode: 'secret', secret: 'text' },
    ]) {
      expect(checkEntry(entry).faults).to.deep.equal([])
    }
  })

  const names: Readonly<Record<string, boolean>> = {
    a: true,
    'a.b_c-9': true,
    'Work-1/a': true,
    [`a${'b'.repeat(99)}`]: true,
    [`a${'b'.repeat(100)}`]: false,
    '': false,
    '.a': false,
    A: false,
    'a/b/c': false,
    '/a': false,
    'a b': false,
    'a\n': false,
    'ctx.dot/a': false,
  }
  it('knows what names an account type', () => {
    for (const [id, isRight] of Object.entries(names)) {
      expect(checkEntry({ _id: id }).faults.length === 0, id).to.equal(isRight)
    }
    expect(checkEntry({}).faults).to.deep.equal([{ field: '_id', reason: 'is missing' }])
  })

  it('refuses URLs that are not absolute https, with a user, a fragment, control characters, or too long (2.2, 1)', () => {
    const urls = [
      '/token',
      'token',
      'https:bank.example.com',
      'http://bank.example.com/',
      'ftp://bank.example.com/',
      'javascript:alert(1)',
      'https://user@bank.example.com/',
      'https://u:p@bank.example.com/',
      'https://bank.example.com/#a',
      'https://bank.example.com/#',
      'https://bank.example.com/a b',
      'https://bank.example.com/\u0007',
      '\thttps://bank.example.com/',
      `https://bank.example.com/${'a'.repeat(2030)}`,
      '',
      7,
      null,
    ]
    const fields = ['auth_endpoint', 'token_endpoint', 'refresh_endpoint', 'revocation_endpoint']
    for (const field of [...fields, 'issuer']) {
      for (const url of urls) expect(refused({ [field]: url }), `${field} ${url}`).to.include(field)
    }
  })

  it('leaves it to those who know the networks whether a trusted entry may use plain http', () => {
    const token_endpoint = 'http://127.0.0.1:9000/token'
    expect(refused({ token_endpoint, trusted_network: true })).to.deep.equal([])
    expect(refused({ token_endpoint, trusted_network: false })).to.deep.equal(['token_endpoint'])
    expect(refused({ token_endpoint, trusted_network: 'yes' })).to.include('trusted_network')
  })

  it('wants a redirect_uri that ends with the path of this very type, without its context (2.2, 3)', () => {
    const right = 'https://alice.example.com/accounts/bank/redirect'
    expect(refused({ redirect_uri: right })).to.deep.equal([])
    expect(refused({ _id: 'work/bank', redirect_uri: right })).to.deep.equal([])
    for (const wrong of [
      'https://alice.example.com/accounts/other/redirect',
      'https://alice.example.com/accounts/work/bank/redirect',
      'https://alice.example.com/accounts/bank/redirect/',
      'https://alice.example.com/?x=/accounts/bank/redirect',
      `${right}#`,
      'ftp://alice.example.com/accounts/bank/redirect',
    ]) {
      expect(refused({ _id: 'work/bank', redirect_uri: wrong }), wrong).to.deep.equal([
        'redirect_uri',
      ])
    }
  })

  it('reads redirect_url as redirect_uri, and refuses both when they differ (K1)', () => {
    const uri = 'https://alice.example.com/accounts/bank/redirect'
    const { entry, faults } = checkEntry({ ...ENTRY, redirect_url: uri })
    expect(faults).to.deep.equal([])
    expect(entry).to.deep.equal({ ...ENTRY, redirect_uri: uri })
    expect(refused({ redirect_url: uri, redirect_uri: uri })).to.deep.equal([])
    const other = 'https://bob.example.com/accounts/bank/redirect'
    expect(refused({ redirect_url: uri, redirect_uri: other })).to.deep.equal(['redirect_url'])
    expect(refused({ redirect_url: 7 })).to.deep.equal(['redirect_uri'])
  })

  it('refuses grant modes of banks and implicit ones, and unknown token modes (K2, K3)', () => {
    for (const mode of ['token', 'token_redirect_url', 'bi_webauth', 'bi_webview+secret', '']) {
      expect(refused({ grant_mode: mode }), mode).to.deep.equal(['grant_mode'])
    }
    for (const mode of ['form', 'post', 'basic', 'get']) {
      expect(refused({ token_mode: mode }), mode).to.deep.equal([])
    }
    for (const mode of ['digest', 'Basic', '', null, 1]) {
      expect(refused({ token_mode: mode }), String(mode)).to.deep.equal(['token_mode'])
    }
  })

  it('wants what the grant mode cannot do without', () => {
    const only = (entry: object) => checkEntry({ _id: 'x', ...entry }).faults.map((f) => f.field)
    expect(only({ grant_mode: 'authorization_code' })).to.deep.equal(['client_id', 'auth_endpoint'])
    expect(only({ grant_mode: 'authorization_code+secret', client_id: 'i' })).to.deep.equal([
      'auth_endpoint',
      'secret',
    ])
    expect(only({ grant_mode: 'refresh_token' })).to.deep.equal(['client_id', 'token_endpoint'])
    expect(only({ grant_mode: 'secret' })).to.deep.equal(['secret'])
    const issuer = 'https://bank.example.com'
    expect(only({ grant_mode: 'refresh_token', client_id: 'i', issuer })).to.deep.equal([])
    expect(only({ grant_mode: 'authorization_code', client_id: 'i', issuer })).to.deep.equal([])
  })

  it('refuses a client without a secret and without PKCE (2.1)', () => {
    const { client_secret: _, ...open } = ENTRY
    expect(checkEntry(open).faults).to.deep.equal([])
    expect(checkEntry({ ...open, pkce: 'S256' }).faults).to.deep.equal([])
    expect(checkEntry({ ...open, pkce: 'off' }).faults.map((f) => f.field)).to.deep.equal(['pkce'])
    expect(refused({ pkce: 'off' })).to.deep.equal([])
    expect(refused({ pkce: 'plain' })).to.deep.equal(['pkce'])
  })

  it('refuses headers of the connection and of the client, in any case, and control characters in others', () => {
    for (const name of [
      'authorization',
      'Host',
      'CONTENT-LENGTH',
      'Cookie',
      'transfer-encoding',
      'Connection',
    ]) {
      expect(refused({ token_headers: { [name]: 'x' } }), name).to.deep.equal([
        `token_headers/${name}`,
      ])
    }
    expect(refused({ token_headers: { 'X y': 'x' } })).to.deep.equal(['token_headers/X y'])
    expect(refused({ token_headers: { 'a/b': 'x' } })).to.deep.equal(['token_headers/a~1b'])
    for (const value of ['a\r\nHost: b', 'é', 7]) {
      expect(refused({ token_headers: { 'X-A': value } })).to.deep.equal(['token_headers/X-A'])
    }
  })

  it('refuses parameters that the request sets itself', () => {
    for (const name of ['client_secret', 'code', 'grant_type', 'refresh_token']) {
      expect(refused({ token_params: { [name]: 'x' } })).to.deep.equal([`token_params/${name}`])
      expect(refused({ refresh_params: { [name]: 'x' } })).to.deep.equal([`refresh_params/${name}`])
    }
    for (const name of ['state', 'client_id', 'redirect_uri', 'code_challenge']) {
      expect(refused({ scope_param: name })).to.deep.equal(['scope_param'])
    }
    expect(refused({ scope_param: 'user_scope', token_params: { action: 'x' } })).to.deep.equal([])
  })

  it('refuses other values than each field can have', () => {
    const wrong: Readonly<Record<string, readonly unknown[]>> = {
      slug: ['Bank', 'a b', '', 7, 'a'.repeat(65)],
      preset: ['nobody', 7],
      client_id: ['', 'a\nb', 7, 'a'.repeat(2049)],
      client_secret: ['', 'a\u0000b', {}, '\ud800'],
      extras: [[], 'x', { a: 1 }, { 'a b': 'x' }, { a: 'x\ny' }],
      skip_redirect_uri_on_authorize: ['true', 1, null],
      skip_state_on_token: ['true'],
      push_credentials: ['x', [], null],
      apns_credentials: ['x'],
      scope_separator: ['', '123456789', '\n'],
      scope_from: ['answer'],
      added_scopes: ['x', [7], ['a b']],
      token_basic_encoding: ['utf8'],
      token_body_format: ['xml'],
      token_response_path: ['', 'a..b', '.a', 'a b', 7],
      error_status_path: ['a.'],
      callback_params: ['x', [''], ['a b'], Array.from({ length: 51 }, () => 'a')],
      revoked_errors: [[''], [7]],
      config_errors: [[''], [7]],
      later_errors: [[''], [7]],
      error_paths: [[''], ['a..b'], ['a b'], 'a', [7]],
      nonce_on_token: [0],
      browser_binding: ['off'],
      refresh_margin: [0, -1, 1.5, '60', 31_536_001],
      keepalive: ['yes'],
    }
    for (const [field, values] of Object.entries(wrong)) {
      for (const value of values) {
        const [first = ''] = refused({ [field]: value })
        expect(first.split('/')[0], `${field} ${JSON.stringify(value)}`).to.equal(field)
      }
    }
  })

  it('tells every fault at once, and never a value', () => {
    const { faults } = checkEntry({
      ...ENTRY,
      auth_endpoint: 'http://s3cret.example.com/',
      client_secret: 's3cret\n',
      token_mode: 's3cret',
      token_params: { grant_type: 's3cret' },
      refresh_margin: -1,
    })
    expect(faults.map(({ field }) => field).sort()).to.deep.equal([
      'auth_endpoint',
      'client_secret',
      'refresh_margin',
      'token_mode',
      'token_params/grant_type',
    ])
    expect(JSON.stringify(faults)).not.to.include('s3cret')
  })

  it('refuses what is no object, no JSON, too long, or named like a sealed field', () => {
    const circle: Record<string, unknown> = { ...ENTRY }
    circle['self'] = circle
    const wholes = [undefined, null, 7, 'x', [ENTRY], circle, { ...ENTRY, big: 'x'.repeat(65_536) }]
    for (const whole of wholes) {
      expect(checkEntry(whole).entry).to.equal(undefined)
      expect(checkEntry(whole).faults.map(({ field }) => field)).to.deep.equal([''])
    }
    expect(refused({ client_secret_encrypted: 'v1.k.n.c' })).to.deep.equal([
      'client_secret_encrypted',
    ])
  })

  it('keeps members with names of JavaScript apart from the object itself', () => {
    const entry = JSON.parse(
      `{"_id":"bank","__proto__":{"client_id":"polluted"},"extras":{"__proto__":"x"}}`,
    ) as Record<string, unknown>
    const checked = checkEntry(entry)
    expect(checked.entry?.client_id).to.equal(undefined)
    expect(({} as Record<string, unknown>)['client_id']).to.equal(undefined)
  })
})

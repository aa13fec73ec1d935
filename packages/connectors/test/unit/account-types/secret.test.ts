import { inspect } from 'node:util'
import { expect } from 'chai'
import type { AccountTypeEntry } from '../../../src/account-types/account-type.ts'
import {
  createSecret,
  guardEntry,
  guardParameters,
  isSealedField,
  isSecretField,
  maskEntry,
} from '../../../src/account-types/secrets.ts'

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

  it('cannot be changed', () => {
    expect(Object.isFrozen(secret)).to.equal(true)
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

  it('are masked when they are printed with their secrets', () => {
    const guarded = guardEntry(entry)
    expect(guarded.client_secret).to.equal('s3cret')
    for (const text of [inspect(guarded), inspect([guarded]), JSON.stringify({ guarded })]) {
      expect(text).not.to.include('s3cret')
      expect(text).to.include('id-1')
    }
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

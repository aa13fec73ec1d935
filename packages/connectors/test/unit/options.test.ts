import { createOAuth } from '@svc/oauth-core'
import { sqliteStore } from '@svc/store/sqlite'
import { expect } from 'chai'
import { after, describe, it } from 'mocha'
import * as exported from '../../src/index.ts'
import { type ConnectorsOptions, createConnectors } from '../../src/index.ts'
import { resolveOptions } from '../../src/options.ts'
import { cookieLogins } from '../support/cookie-logins.ts'
import { createStoredAccounts } from '../../src/accounts/stored-accounts.ts'

const store = sqliteStore({ file: ':memory:' })
const apps = {
  installed: async () => undefined,
  listInstalled: async () => [],
  available: async () => undefined,
}

describe('createConnectors', () => {
  const oauth = createOAuth({ store, apps, keys: [{ kid: 'test', key: Buffer.alloc(32) }] })
  const needed = { oauth, sessions: cookieLogins() }
  after(async () => {
    await oauth.close()
    await store.close()
  })

  it('names every fault of its options with its path', () => {
    const options = {
      oauth: {},
      accounts: { get() {} },
      accountTypes: { get() {} },
      allowClientSideExchange: 1,
      autoRefresh: 'on',
      browserBinding: true,
      callbackUrl: 'https://oauth.example.org/path',
      events: {},
      homeSlug: '-',
      lifetimes: { state: 0, never: 1, refreshWait: 1000 },
      limits: { 'account-start': { limit: 0, windowMs: 1 }, toString: 1 },
      log: {},
      manifests: {},
      nothing: 1,
      trustedNetworks: ['10.0.0.0/8', 'ten'],
    } as unknown as ConnectorsOptions // Wrong on purpose.
    let message = ''
    try {
      createConnectors(options)
    } catch (error) {
      expect(error).to.be.instanceOf(TypeError)
      message = (error as TypeError).message
    }
    expect(message.split('\n').map((line) => line.split(' ')[0])).to.deep.equal([
      'options.nothing',
      'options.oauth',
      'options.accounts',
      'options.sessions',
      'options.accountTypes',
      'options.manifests',
      'options.events',
      'options.log',
      'options.allowClientSideExchange',
      'options.autoRefresh',
      'options.homeSlug',
      'options.browserBinding',
      'options.callbackUrl',
      'options.lifetimes.state',
      'options.lifetimes.never',
      'options.lifetimes.refreshWait',
      'options.limits.account-start.limit',
      'options.limits.account-start.windowMs',
      'options.limits.toString',
      'options.trustedNetworks',
    ])
  })

  it('keeps no accounts where the host does', () => {
    const accounts = createStoredAccounts(store)
    const resolved = resolveOptions({ ...needed, accounts })
    expect(resolved.accounts).to.equal(accounts)
    expect(resolved.storedAccounts).to.equal(undefined)
  })

  it('refuses no options at all', () => {
    expect(() => createConnectors(undefined as never)).to.throw(TypeError, 'options')
    expect(() => createConnectors({} as never)).to.throw(TypeError, 'options.oauth')
  })

  for (const callbackUrl of [
    'oauth.example.org',
    'https://oauth.example.org/',
    'ftp://a.example',
  ]) {
    it(`takes no callbackUrl ${callbackUrl}`, () => {
      expect(() => createConnectors({ ...needed, callbackUrl })).to.throw('options.callbackUrl')
    })
  }

  it('needs two things; the rest is as documented', () => {
    const {
      oauth: _,
      accounts,
      storedAccounts,
      sessions,
      outbound,
      ...resolved
    } = resolveOptions(needed)
    expect(sessions).to.equal(needed.sessions)
    expect(accounts).to.equal(storedAccounts)
    expect(accounts.list).to.be.a('function')
    expect(outbound.request).to.be.a('function')
    expect(resolved).to.deep.equal({
      accountTypes: undefined,
      allowClientSideExchange: false,
      autoRefresh: true,
      browserBinding: 'on',
      callbackUrl: undefined,
      enforceManifestScope: false,
      events: undefined,
      exposeRefreshToken: false,
      homeSlug: 'home',
      lifetimes: exported.DEFAULT_LIFETIMES,
      limits: exported.DEFAULT_LIMITS,
      log: oauth.log,
      manifests: undefined,
      trustedNetworks: [],
    })
  })
})

describe('@svc/connectors', () => {
  it('exports these values and no others', () => {
    expect(Object.keys(exported).sort()).to.deep.equal([
      'AccountTypeError',
      'ConnectorError',
      'DEFAULT_LIFETIMES',
      'DEFAULT_LIMITS',
      'ERRORS',
      'LEGACY_SECRETS',
      'PRESETS',
      'accountTypesFromFile',
      'createAccountTypes',
      'createConnectors',
      'createEntryReader',
      'createSecret',
      'maskEntry',
      'sealedAccountTypes',
      'secretsForConnector',
      'withoutSealed',
    ])
  })
})

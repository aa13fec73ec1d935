import { createOAuth } from '@svc/oauth-core'
import { DAY_MS } from '@svc/platform'
import { sqliteStore } from '@svc/store/sqlite'
import { expect } from 'chai'
import { after, describe, it } from 'mocha'
import { type ConnectorsOptions, createConnectors } from '../../src/index.ts'
import { resolveOptions } from '../../src/options.ts'
import { cookieLogins } from '../support/cookie-logins.ts'
import { createStoredAccounts } from '../../src/accounts/account-store.ts'

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
      lifetimes: { state: 0, never: 1 },
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
    expect(message.split('\n')).to.deep.equal([
      'options.nothing: unknown',
      'options.oauth: has no mount(), authenticate(), clientAddress()',
      'options.accounts: has no create(), update(), delete(), list()',
      'options.sessions: is missing; must be an object with current, admit',
      'options.accountTypes: has no getRaw(), findBySlug()',
      'options.manifests: has no manifestOf()',
      'options.events: has no publish()',
      'options.homeSlug: must be a slug',
      'options.callbackUrl: must be an origin, such as https://oauth.example.org',
      'options.trustedNetworks[1]: must be a CIDR such as 10.0.0.0/8',
      'options.autoRefresh: must be true or false',
      'options.browserBinding: must be "on" or "off"',
      'options.allowClientSideExchange: must be true or false',
      'options.lifetimes.never: unknown',
      'options.lifetimes.state: must be a whole number of milliseconds from 1 to 2592000000',
      'options.limits.toString: unknown',
      'options.limits.account-start.limit: must be a whole number from 1 to 1000000000',
      'options.limits.account-start.windowMs: must be a whole number of milliseconds from 1000 to 2592000000',
      'options.log: has no info(), warn(), error()',
    ])
  })

  it('wants whoever waits for a refresh to see that the holder of the lock died', () => {
    const lifetimes = { refreshWait: 1000 }
    expect(() => createConnectors({ ...needed, lifetimes })).to.throw(
      'options.lifetimes.refreshWait: must be longer than refreshLock',
    )
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
})

/** Timers of the platform fire at once beyond 2 147 483 647 ms: every call would time out. */
describe('lifetimes that timers stand behind', () => {
  /** Faults are told all at once, so the rest may be missing. */
  function faultsOf(lifetimes: Readonly<Record<string, number>>): string {
    try {
      createConnectors({ lifetimes } as unknown as ConnectorsOptions) // Wrong on purpose.
    } catch (error) {
      if (error instanceof TypeError) return error.message
      throw error
    }
    return ''
  }

  it('are a day at most, the others 30 days', () => {
    for (const name of ['answer', 'call', 'connect', 'lookup']) {
      expect(faultsOf({ [name]: DAY_MS })).not.to.include(name)
      expect(faultsOf({ [name]: DAY_MS + 1 })).to.include(`options.lifetimes.${name}`)
    }
    expect(faultsOf({ state: 30 * DAY_MS })).not.to.include('state')
  })
})

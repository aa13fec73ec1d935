import { randomBytes } from 'node:crypto'
import { sqliteStore } from '@svc/store/sqlite'
import { expect } from 'chai'
import { createOAuth, DEFAULT_LIFETIMES, type OAuthOptions } from '../../src/index.ts'
import { OAUTH_OPTIONS } from '../../src/options.ts'

const store = sqliteStore({ file: ':memory:' })
after(() => store.close())

const apps = {
  installed: async () => undefined,
  available: async () => undefined,
  listInstalled: async () => [],
}
const valid: OAuthOptions = { store, apps, keys: [{ kid: 'k', key: randomBytes(32) }] }

function faultsOf(options: unknown): string[] {
  try {
    OAUTH_OPTIONS.settle(options)
  } catch (error) {
    expect(error).to.be.instanceOf(TypeError)
    return (error as TypeError).message.split('\n')
  }
  return []
}

describe('the options of createOAuth', () => {
  it('know hosts that are reached by http', () => {
    const resolved = OAUTH_OPTIONS.settle(valid)
    expect(resolved.isHttps('alice.example.com')).to.equal(true)
    for (const domain of ['localhost', 'localhost:8080', 'alice.localhost', 'alice.localhost:1']) {
      expect(resolved.isHttps(domain), domain).to.equal(false)
    }
    for (const domain of ['localhost.example.com', 'notlocalhost']) {
      expect(resolved.isHttps(domain), domain).to.equal(true)
    }
  })

  it('are taken over', () => {
    const resolved = OAUTH_OPTIONS.settle({
      ...valid,
      namespace: 'com.example_1.x',
      lifetimes: { accessTokenMs: 2000 },
      limits: { token: { limit: 1, windowMs: 1000 } },
      forbiddenScopes: ['com.example'],
      requirePkce: true,
      cache: { engines: 2 },
    })
    expect(resolved.lifetimes).to.deep.equal({ ...DEFAULT_LIFETIMES, accessTokenMs: 2000 })
    expect(resolved.limits.token).to.deep.equal({ limit: 1, windowMs: 1000 })
    expect(resolved.cache.engines).to.equal(2)
  })

  it('are refused all at once, each with its path', () => {
    const wrong = {
      store: {},
      apps: null,
      keys: [],
      namespace: 'IO',
      subdomains: 'both',
      isHttps: true,
      trustProxy: -1,
      requirePkce: 'yes',
      consent: { choose: 'yes' },
      lifetimes: { accessTokenMs: 1500, authorizationCodeMs: 600_001, forever: 1 },
      limits: { token: { limit: 0, windowMs: 1 }, other: { limit: 1, windowMs: 1000 } },
      cache: { engines: 0, instances: 1.5, tokens: '1' },
      clock: {},
      log: console.log,
      secret: 'x',
    }
    const faults = faultsOf(wrong)
    const { lifetimes, limits, cache, ...plain } = wrong
    const paths = [
      ...Object.keys(plain).map((name) => (name === 'consent' ? 'consent.choose' : name)),
      ...Object.keys(lifetimes).map((name) => `lifetimes.${name}`),
      ...['token.limit', 'token.windowMs', 'other'].map((name) => `limits.${name}`),
      ...Object.keys(cache).map((name) => `cache.${name}`),
    ]
    expect(limits).to.have.keys('token', 'other')
    for (const path of paths) {
      const named = faults.filter((fault) => new RegExp(`^options\\.${path}\\b`).test(fault))
      expect(named, path).to.have.lengthOf.at.least(1)
    }
    expect(faults).to.have.lengthOf(21)
  })

  it('are refused when they are no options', () => {
    for (const options of [null, 1, 'x', []]) {
      expect(faultsOf(options), String(options)).to.deep.equal(['options: must be an object'])
    }
    for (const options of [undefined, {}]) {
      expect(faultsOf(options), String(options)).to.deep.equal([
        'options.store: is missing; must be an object with get, getMany, write, take, hit, list, count',
        'options.keys: is missing; must be a list of at most 100',
      ])
    }
  })

  it('say how to make a key where one is too short, and which kid is there twice', () => {
    const [key] = valid.keys
    expect(faultsOf({ ...valid, keys: [{ kid: 'k', key: new Uint8Array() }] })).to.deep.equal([
      'options.keys[0].key: 0 bytes, needs 32. Make one with: openssl rand -base64 32',
    ])
    expect(faultsOf({ ...valid, keys: [key, key] })).to.deep.equal([
      'options.keys[1].kid: is there twice',
    ])
  })

  it('never repeat a key in what they say', () => {
    const key = Buffer.from('a very secret key that is short')
    const message = faultsOf({ ...valid, keys: [{ kid: 'k', key }] }).join()
    expect(message).to.contain('options.keys').and.not.to.contain('secret')
  })

  it('are refused with keys that are none', () => {
    for (const keys of [undefined, 1, [1], [{ kid: 'k' }], [null]]) {
      expect(faultsOf({ ...valid, keys }).join()).to.contain('options.keys')
    }
  })

  it('are refused with what no flagship app or konnector could be known by', () => {
    const flagship = { appleAppIds: ['none'], skipCertification: 'yes' }
    expect(faultsOf({ ...valid, flagship, konnectors: {} })).to.deep.equal([
      'options.flagship.appleAppIds[0]: must be TEAMID.bundle',
      'options.flagship.skipCertification: must be true or false',
      'options.konnectors: has no installed()',
    ])
  })

  const unusable: readonly [deprecated: unknown, fault: string][] = [
    [{ softwareId: '', name: 'Old', storeUrls: { other: 'https://a.example/' } }, 'softwareId'],
    [{ softwareId: 'old', name: '', storeUrls: { other: 'https://a.example/' } }, 'name'],
    [{ softwareId: 'old', name: 'Old', storeUrls: {} }, 'storeUrls'],
    [{ softwareId: 'old', name: 'Old', storeUrls: { other: '/store' } }, 'storeUrls'],
    [{ softwareId: 'old', name: 'Old', storeUrls: { other: 'JavaScript:alert(1)' } }, 'storeUrls'],
    [
      { softwareId: 'old', name: 'Old', storeUrls: { other: 'a:b', android: 'data:text/html,x' } },
      'storeUrls',
    ],
    [null, 'must be an object'],
  ]
  it('are refused with deprecated apps that lead nowhere', () => {
    for (const [deprecated, fault] of unusable) {
      const [found = '', ...others] = faultsOf({ ...valid, deprecatedApps: [deprecated] })
      expect(found)
        .to.match(/^options\.deprecatedApps/)
        .and.contain(fault)
      expect(others).to.deep.equal([])
    }
  })

  it('are refused with sharings that cannot be asked', () => {
    expect(faultsOf({ ...valid, sharings: { find: () => {} } })).to.deep.equal([
      'options.sharings: has no parseRules(), accept(), cancelUrl()',
    ])
  })
})

describe('createOAuth', () => {
  const opened: { close(): Promise<void> }[] = []
  afterEach(async () => {
    for (const oauth of opened.splice(0)) await oauth.close()
  })

  function create() {
    const oauth = createOAuth(valid)
    opened.push(oauth)
    return oauth
  }

  it('wants to know who is logged in before it has routes, once', () => {
    const oauth = create()
    const pages = {} as never // Not reached.
    expect(() => oauth.routes({ pages })).to.throw(TypeError, 'useSessions')
    const sessions = { current: async () => undefined }
    oauth.useSessions(sessions)
    expect(() => oauth.useSessions(sessions)).to.throw(TypeError, 'once')
  })

  it('starts and closes any number of times', async () => {
    const oauth = create()
    await oauth.close()
    const again = create()
    await again.start()
    await again.start()
    await again.close()
    await again.close()
  })
})

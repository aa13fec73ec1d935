import type { AppManifest } from '@svc/oauth-core'
import { type Instance, type Logger, Parameters } from '@svc/platform'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import { authorizationUrl } from '../../../src/flow/authorization-url.ts'
import { appRedirect, errorOfExchange, errorOfRedirect } from '../../../src/flow/flow-outcome.ts'
import type { PendingFlow } from '../../../src/flow/flow-store.ts'
import { isFromIssuer, warnOfStrangeIssuer } from '../../../src/flow/issuer-check.ts'
import {
  readStartParameters,
  splitScope,
  type StartParameters,
  type StartParametersServices,
} from '../../../src/flow/start-parameters.ts'
import { sampleInstance } from '../../support/sample-instance.ts'
import { sampleType } from '../../support/sample-type.ts'

const DRIVE: AppManifest = { slug: 'drive', name: 'Drive', permissions: {}, routes: {} }

interface Given {
  readonly manifests?: undefined
  readonly enforceManifestScope?: boolean
}

function read(
  query: string,
  given: Given = {},
  scope: readonly string[] | undefined = ['a b', 'b c'],
): Promise<StartParameters> {
  const manifests: StartParametersServices['manifests'] = {
    async manifestOf(_, slug) {
      return slug === 'bank' && scope ? { slug, oauth: { scope } } : undefined
    },
  }
  const services: StartParametersServices = {
    oauth: {
      apps: { installed: async (_: Instance, slug) => (slug === 'drive' ? DRIVE : undefined) },
    },
    manifests: 'manifests' in given ? given.manifests : manifests,
    options: { homeSlug: 'home', enforceManifestScope: given.enforceManifestScope ?? false },
  }
  const parameters = Parameters.parseQuery(query)
  return readStartParameters(services, sampleInstance(), sampleType(), parameters)
}

async function codeOf(answer: Promise<unknown>): Promise<unknown> {
  return answer.then(
    () => 'none',
    (error: { code?: unknown }) => error.code,
  )
}

/** connectors.md 4.1 (7), 12 */
describe('parameters of a start', () => {
  it('are all optional: the home app, no state, the scopes of the manifest', async () => {
    expect(await read('')).to.deep.equal({
      clientState: '',
      nonce: '',
      slug: 'home',
      scopes: ['a', 'b', 'c'],
    })
  })

  it('keep state and nonce untouched', async () => {
    const asked = await read('state=%7B%22a%22%3A1%7D%20%C3%A9&nonce=n')
    expect(asked).to.include({ clientState: '{"a":1} é', nonce: 'n' })
  })

  it('ask for no scope when scope is there and empty', async () => {
    expect((await read('scope=')).scopes).to.deep.equal([])
  })

  it('take scopes of the query before those of the manifest', async () => {
    expect((await read('scope=x%2By+x')).scopes).to.deep.equal(['x', 'y'])
  })

  it('ask for nothing when no manifest is known', async () => {
    const { scopes } = await read('', { manifests: undefined })
    expect(scopes).to.deep.equal([])
  })

  it('take an app that is installed', async () => {
    expect((await read('slug=drive')).slug).to.equal('drive')
  })

  for (const [query, code] of [
    [`state=${'%C3%A9'.repeat(513)}`, 'invalid_request'],
    ['state=%7F', 'invalid_request'],
    ['nonce=%00', 'invalid_request'],
    [`scope=${'x'.repeat(2049)}`, 'invalid_request'],
    ['scope=a%22b', 'invalid_request'],
    ['scope=%C3%A9', 'invalid_request'],
  ] as const) {
    it(`are refused: ${query.slice(0, 30)} is ${code}`, async () => {
      expect(await codeOf(read(query))).to.equal(code)
    })
  }

  it('may have a state of 1024 bytes', async () => {
    expect((await read(`state=${'x'.repeat(1024)}`)).clientState).to.have.length(1024)
  })

  it('are refused with a scope beyond the manifest only when that is enforced', async () => {
    const enforced = { enforceManifestScope: true }
    expect((await read('scope=a+c', enforced)).scopes).to.deep.equal(['a', 'c'])
    expect(await codeOf(read('scope=a+d', enforced))).to.equal('invalid_scope')
    expect(await codeOf(read('scope=a', { ...enforced, manifests: undefined }))).to.equal(
      'invalid_scope',
    )
    expect((await read('scope=d')).scopes).to.deep.equal(['d'])
  })
})

/** connectors.md 4.1 "scope", 12 */
describe('scopes of a start', () => {
  for (const [text, scopes] of [
    ['a b', ['a', 'b']],
    ['a+b', ['a', 'b']],
    [' a \t b\n+ +a ', ['a', 'b']],
    ['https://provider.example/a.b,c', ['https://provider.example/a.b,c']],
    ['', []],
    ['+', []],
  ] as const) {
    it(`reads ${JSON.stringify(text)} as ${JSON.stringify(scopes)}`, () => {
      expect(splitScope(text)).to.deep.equal(scopes)
    })
  }
})

const ENDPOINT = 'https://provider.example/authorize'
const QUESTION = {
  redirectUri: 'https://alice.example.com/accounts/bank/redirect',
  scopes: ['a', 'b'],
  state: 'our-state',
}

function parametersOf(url: string): Readonly<Record<string, string>> {
  return Object.fromEntries(new URL(url).searchParams)
}

/** connectors.md 5.1 */
describe('authorizationUrl', () => {
  it('carries what RFC 6749 asks for, in order, with spaces as %20', () => {
    expect(authorizationUrl(sampleType(), ENDPOINT, QUESTION)).to.equal(
      'https://provider.example/authorize?response_type=code&client_id=client-1' +
        '&redirect_uri=https%3A%2F%2Falice.example.com%2Faccounts%2Fbank%2Fredirect' +
        '&scope=a%20b&state=our-state',
    )
  })

  it('carries the challenge and the nonce when there are some', () => {
    const question = { ...QUESTION, codeChallenge: 'challenge', oidcNonce: 'nonce' }
    const parameters = parametersOf(authorizationUrl(sampleType(), ENDPOINT, question))
    expect(parameters).to.include({
      code_challenge: 'challenge',
      code_challenge_method: 'S256',
      nonce: 'nonce',
    })
  })

  it('keeps the query of the endpoint, but not parameters of ours in it, however they are spelt', () => {
    const endpoint = `${ENDPOINT}?tenant=a%20b&state=theirs&st%61te=theirs&redirect%5furi=evil&x`
    const url = authorizationUrl(sampleType(), endpoint, QUESTION)
    expect(url).to.match(/^https:\/\/provider\.example\/authorize\?tenant=a%20b&x&response_type=/)
    expect(new URL(url).searchParams.getAll('state')).to.deep.equal(['our-state'])
    expect(new URL(url).searchParams.getAll('redirect_uri')).to.deep.equal([QUESTION.redirectUri])
  })

  it('adds extras, but lets none replace a protected name, asked for or not', () => {
    const extras = {
      access_type: 'offline',
      response_type: 'token',
      client_id: 'x',
      redirect_uri: 'https://evil.example',
      scope: 'all',
      state: 'x',
      code_challenge: 'x',
      code_challenge_method: 'plain',
      nonce: 'x',
    }
    const type = sampleType({ extras, skipsRedirectUriOnAuthorize: true })
    const parameters = parametersOf(authorizationUrl(type, ENDPOINT, { ...QUESTION, scopes: [] }))
    expect(parameters).to.deep.equal({
      response_type: 'code',
      client_id: 'client-1',
      state: 'our-state',
      access_type: 'offline',
    })
  })

  it('joins scopes with the separator of the type, under the name of the type (D38)', () => {
    const type = sampleType({ scopeSeparator: ',', scopeParam: 'user_scope' })
    const parameters = parametersOf(authorizationUrl(type, ENDPOINT, QUESTION))
    expect(parameters).to.include({ user_scope: 'a,b' })
    expect(parameters).not.to.have.property('scope')
  })

  for (const [what, endpoint] of [
    ['no address', 'provider.example'],
    ['a script', 'javascript:alert(1)'],
    ['an address with a password', 'https://a:b@provider.example/'],
    ['an address over 8 KiB', `${ENDPOINT}?x=${'x'.repeat(8192)}`],
  ] as const) {
    it(`refuses ${what} as a fault of the type`, () => {
      expect(() => authorizationUrl(sampleType(), endpoint, QUESTION))
        .to.throw()
        .that.includes({ code: 'account_type_misconfigured', status: 500 })
    })
  }

  it('drops a fragment of the endpoint', () => {
    expect(authorizationUrl(sampleType(), `${ENDPOINT}#x`, QUESTION)).not.to.include('#')
  })
})

const ISSUER = 'https://provider.example'
const FLOW: PendingFlow = {
  v: 1,
  instance: sampleInstance().id,
  accountType: 'bank',
  kind: 'create',
  clientState: '',
  nonce: '',
  slug: 'home',
  scope: '',
  redirectUri: 'https://alice.example.com/accounts/bank/redirect',
  createdAt: 0,
}

async function check(
  flow: Partial<PendingFlow>,
  iss?: string,
): Promise<{ isFrom: boolean; warnings: string[] }> {
  const warnings: string[] = []
  const log: Logger = { info() {}, warn: (event) => warnings.push(event), error() {} }
  const usable = {
    type: sampleType(),
    authEndpoint: `${ISSUER}/authorize`,
    isClientSide: false,
    metadata: undefined,
  }
  const query = new Map(iss === undefined ? [] : [['iss', iss]])
  const asked = { ...FLOW, ...flow }
  warnOfStrangeIssuer(asked, usable, query, log)
  return { isFrom: await isFromIssuer(asked, query), warnings }
}

/** connectors.md 5.3; RFC 9207 */
describe('isFromIssuer', () => {
  for (const [what, iss, isFrom] of [
    ['the issuer itself', ISSUER, true],
    ['nobody', undefined, true],
    ['another issuer', 'https://evil.example', false],
    ['the issuer with a slash more', `${ISSUER}/`, false],
    ['the issuer in capitals', ISSUER.toUpperCase(), false],
    ['an empty name', '', false],
  ] as const) {
    it(`${isFrom ? 'takes' : 'refuses'} an answer that names ${what}, of a known issuer`, async () => {
      expect((await check({ issuer: ISSUER }, iss)).isFrom).to.equal(isFrom)
    })
  }

  it('refuses an answer that names nobody when the provider says that its answers do', async () => {
    expect((await check({ issuer: ISSUER, sendsIssuer: true })).isFrom).to.equal(false)
    expect((await check({ issuer: ISSUER, sendsIssuer: true }, ISSUER)).isFrom).to.equal(true)
  })

  it('ignores the name when no issuer is known, and warns of another origin', async () => {
    expect(await check({}, `${ISSUER}/any`)).to.deep.equal({ isFrom: true, warnings: [] })
    expect(await check({}, 'https://evil.example')).to.deep.equal({
      isFrom: true,
      warnings: ['account.strange_issuer'],
    })
    expect((await check({}, 'not an address')).warnings).to.have.length(1)
  })
})

/** connectors.md 4.6 */
describe('errors of providers', () => {
  for (const [error, told] of [
    ['access_denied', 'access_denied'],
    ['user_denied', 'access_denied'],
    ['user_cancelled_login', 'access_denied'],
    ['user_cancelled_authorize', 'access_denied'],
    ['consent_declined', 'access_denied'],
    ['server_error', 'provider_unavailable'],
    ['temporarily_unavailable', 'provider_unavailable'],
    ['invalid_scope', 'provider_error'],
    ['__proto__', 'provider_error'],
    ['constructor', 'provider_error'],
    ['ACCESS_DENIED', 'provider_error'],
  ] as const) {
    it(`of a redirect: ${error} is told as ${told}`, () => {
      expect(errorOfRedirect(error)).to.equal(told)
    })
  }

  for (const [failure, told] of [
    ['unavailable', 'provider_unavailable'],
    ['limited', 'provider_unavailable'],
    ['timeout', 'provider_timeout'],
    ['revoked', 'token_exchange_failed'],
    ['config', 'token_exchange_failed'],
    ['error', 'token_exchange_failed'],
    ['invalid', 'invalid_response'],
  ] as const) {
    it(`of an exchange: ${failure} is told as ${told}`, () => {
      expect(errorOfExchange(failure)).to.equal(told)
    })
  }
})

/** connectors.md 4.5 */
describe('appRedirect', () => {
  it('knows flat subdomains, ports and plain http', () => {
    const instance = sampleInstance({
      domain: 'alice.localhost:8080',
      isHttps: false,
      subdomains: 'flat',
    })
    expect(appRedirect(instance, { slug: 'my-app', clientState: '' }, { accountId: 'a' })).to.equal(
      'http://alice-my-app.localhost:8080/?account=a#',
    )
  })
})

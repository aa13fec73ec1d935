import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { type Adapter, type AdapterPayload, type JWK, Provider } from 'oidc-provider'
import { serverMetadata } from '../../../src/engine/metadata.ts'
import {
  buildConfiguration,
  NATIVE_PATHS,
  OWNER,
  RESOURCE,
} from '../../../src/engine/configuration.ts'
import { tuneProvider } from '../../../src/engine/provider-pool.ts'
import {
  type NativeAnswer,
  nativeCallOf,
  NativeContext,
  type NativeRequest,
} from '../../../src/engine/native-call.ts'
import { newUnit, runUnit } from '../../../src/engine/unit-of-work.ts'
import { DEFAULT_LIFETIMES } from '../../../src/lifetimes.ts'
import { testInstance } from '../../../../platform/test/support/test-instance.ts'

/** The engine as configured, on an adapter that keeps everything and notes what is saved. */
class Bench {
  readonly saved = new Map<string, string[]>()
  readonly finds: string[] = []
  readonly provider: Provider
  readonly run: (request: NativeRequest) => Promise<NativeAnswer>
  readonly #kept = new Map<string, AdapterPayload>()
  /** What a client was registered with, or changed to. */
  #asked: Readonly<Record<string, unknown>> = {}

  constructor(isTuned: boolean, first?: Bench) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.provider = new Provider(
      'https://alice.example.com',
      buildConfiguration({
        adapter: (model) => this.#adapter(model),
        lifetimes: DEFAULT_LIFETIMES,
        unusedKey: { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' } as JWK,
      }),
    )
    if (isTuned) tuneProvider(this.provider, first?.provider)
    const call = nativeCallOf(this.provider)
    const unit = newUnit(testInstance())
    this.run = (request) => {
      if (request.contentType === 'application/json') this.#asked = request.body ?? {}
      return runUnit(unit, () => call(request))
    }
  }

  #adapter(model: string): Adapter {
    return {
      find: async (id) => {
        this.finds.push(model)
        return this.#kept.get(`${model}:${id}`)
      },
      upsert: async (id, payload) => {
        this.saved.set(model, Object.keys(payload).sort())
        // As the package's own adapter does: of a client, the engine decides its id and secret.
        const kept = model === 'Client' ? { ...this.#asked, ...payload } : payload
        this.#kept.set(`${model}:${id}`, kept)
      },
      consume: async (id) => {
        const payload = this.#kept.get(`${model}:${id}`)
        if (payload !== undefined) payload.consumed = 1
      },
      destroy: async (id) => void this.#kept.delete(`${model}:${id}`),
      revokeByGrantId: async () => {},
      findByUid: async () => undefined,
      findByUserCode: async () => undefined,
    }
  }

  async register(): Promise<Record<string, string>> {
    const redirectUris = ['https://client.example/callback']
    const { status, body } = await this.run({
      method: 'POST',
      path: NATIVE_PATHS.registration,
      contentType: 'application/json',
      body: {
        redirect_uris: redirectUris,
        client_name: 'Test',
        software_id: 'test',
        ...serverMetadata(redirectUris, false),
      },
    })
    expect(status).to.equal(201)
    return body as Record<string, string> // The members looked at are text.
  }

  async code(clientId: string): Promise<string> {
    const grant = new this.provider.Grant({ accountId: OWNER, clientId })
    grant.addResourceScope(RESOURCE, 'io.svc.contacts')
    return new this.provider.AuthorizationCode({
      accountId: OWNER,
      clientId,
      expiresWithSession: false,
      grantId: await grant.save(),
      redirectUri: 'https://client.example/callback',
      resource: RESOURCE,
      scope: 'io.svc.contacts',
    } as never).save()
  }

  token(client: Record<string, string>, form: Record<string, string>): Promise<NativeAnswer> {
    return this.run({
      method: 'POST',
      path: NATIVE_PATHS.token,
      contentType: 'application/x-www-form-urlencoded',
      body: {
        client_id: client['client_id'],
        client_secret: client['client_secret'],
        redirect_uri: 'https://client.example/callback',
        ...form,
      },
    })
  }

  /** Every route and grant once, and a refusal of each. */
  async runAll(): Promise<{ exchange: NativeAnswer; refresh: NativeAnswer }> {
    const client = await this.register()
    const id = client['client_id'] ?? ''
    const code = await this.code(id)
    const exchange = await this.token(client, { grant_type: 'authorization_code', code })
    const refresh = await this.token(client, {
      grant_type: 'refresh_token',
      refresh_token: String(exchange.body?.['refresh_token']),
    })
    const replay = await this.token(client, { grant_type: 'authorization_code', code })
    const wrong = { ...client, client_secret: 'wrong' }
    const stranger = await this.token(wrong, { grant_type: 'refresh_token', refresh_token: 'x' })

    const path = `${NATIVE_PATHS.registration}/${id}`
    const authorization = `Bearer ${client['registration_access_token']}`
    const read = await this.run({ method: 'GET', path, authorization })
    const refused = await this.run({ method: 'GET', path, authorization: 'Bearer wrong' })
    const redirectUris = ['https://client.example/callback']
    const update = await this.run({
      method: 'PUT',
      path,
      authorization,
      contentType: 'application/json',
      body: {
        client_id: id,
        redirect_uris: redirectUris,
        client_name: 'Test',
        software_id: 'test',
        ...serverMetadata(redirectUris, false),
      },
    })
    const removal = await this.run({ method: 'DELETE', path, authorization })
    const answers = [exchange, refresh, replay, stranger, read, refused, update, removal]
    expect(answers.map(({ status }) => status)).to.deep.equal([
      200, 200, 400, 401, 200, 401, 200, 204,
    ])
    return { exchange, refresh }
  }
}

/** Members of contexts that were asked for and do not exist. */
async function missingMembers(work: () => Promise<unknown>): Promise<string[]> {
  const missing = new Set<string>()
  const { prototype } = NativeContext
  const above: unknown = Object.getPrototypeOf(prototype)
  const watch = new Proxy(Object.prototype, {
    get(target, property, receiver) {
      if (!(property in target)) missing.add(String(property))
      return Reflect.get(target, property, receiver) as unknown
    },
  })
  Object.setPrototypeOf(prototype, watch)
  try {
    await work()
  } finally {
    Object.setPrototypeOf(prototype, above as object)
  }
  return [...missing].sort()
}

describe('the internals of the engine', () => {
  it('ask a context only for the members that ours has', async () => {
    const missing = await missingMembers(() => new Bench(true).runAll())
    // Looked for, and right to be absent: `params` before the router sets it, the rest for mounted applications.
    expect(missing).to.deep.equal(['mountPath', 'params'])
  })

  it('put what save() of an access token answers into the response, on both grants', async () => {
    const { exchange, refresh } = await new Bench(true).runAll()
    for (const { status, body, entities } of [exchange, refresh]) {
      expect(status).to.equal(200)
      expect(body?.['access_token']).to.equal(entities.AccessToken?.jti)
      expect(entities.AccessToken?.jti).to.match(/^[0-9a-f-]{36}$/)
      expect(entities.AccessToken?.grantId).to.be.a('string')
      expect(body?.['scope']).to.equal('io.svc.contacts')
    }
  })

  it('store no access token, and of a refresh token only what it is found by, when they are tuned', async () => {
    const bench = new Bench(true)
    await bench.runAll()
    expect([...bench.saved.keys()]).not.to.include('AccessToken')
    const members = ['accountId', 'clientId', 'grantId', 'jti', 'resource', 'scope']
    expect(bench.saved.get('RefreshToken')).to.deep.equal(members)
  })

  it('name of a client its id and its secret, when they are tuned', async () => {
    const bench = new Bench(true)
    const { registration_access_token: token, ...client } = await bench.register()
    expect(token).to.be.a('string')
    expect(Object.keys(client).sort()).to.deep.equal([
      'client_id',
      'client_secret',
      'registration_client_uri',
    ])
    expect(bench.saved.get('Client')).to.deep.equal(['client_id', 'client_secret'])
  })

  it('take the class of clients from their provider, where one may stand for another', async () => {
    const first = new Bench(true)
    const second = new Bench(true, first)
    expect(second.provider.Client).to.equal(first.provider.Client)
    await first.runAll()
    const { client_id: id = '' } = await second.register()
    const found = await second.provider.Client.find(id)
    expect(found?.clientId).to.equal(id)
    // Its adapter is the first one's: in the package there is one for all.
    expect([...second.saved.keys()]).to.deep.equal(['RegistrationAccessToken'])
  })

  it('find a client through the adapter, parsed once for each object that it answers', async () => {
    const bench = new Bench(true)
    const { client_id: id = '' } = await bench.register()
    const before = bench.finds.length
    const first = await bench.provider.Client.find(id)
    const again = await bench.provider.Client.find(id)
    expect(bench.finds.slice(before)).to.deep.equal(['Client', 'Client'])
    expect(first).to.be.instanceOf(bench.provider.Client)
    expect(first?.clientId).to.equal(id)
    expect(again).to.equal(first)
    expect(await bench.provider.Client.find(randomBytes(16).toString('hex'))).to.equal(undefined)
  })

  it('answer the same tuned and as they are', async () => {
    const tuned = await new Bench(true).runAll()
    const plain = await new Bench(false).runAll()
    for (const grant of ['exchange', 'refresh'] as const) {
      const [a, b] = [tuned[grant], plain[grant]]
      expect(a.status).to.equal(b.status)
      expect(Object.keys(a.body ?? {}).sort()).to.deep.equal(Object.keys(b.body ?? {}).sort())
      expect(a.body?.['expires_in']).to.equal(b.body?.['expires_in'])
    }
  })
})

import { generateKeyPairSync, randomUUID } from 'node:crypto'
import type { Instance } from '@svc/platform'
import { LRUCache } from 'lru-cache'
import type {
  Adapter,
  AdapterFactory,
  AllClientMetadata,
  Client,
  ClientMetadata,
  Configuration,
  JWK,
  Provider,
} from 'oidc-provider'
import { OAuthError } from '../errors.ts'
import type { Lifetimes } from '../lifetimes.ts'
import { buildConfiguration } from './configuration.ts'
import { type NativeCall, nativeCallOf } from './native-call.ts'
import { currentUnit } from './unit-of-work.ts'

/** An instance's engine. */
export interface PooledProvider {
  readonly provider: Provider
  readonly call: NativeCall
}

export interface ProviderPoolOptions {
  readonly adapter: AdapterFactory
  readonly lifetimes: Lifetimes
  /** How many are kept; one costs about 48 KiB, and 0.4 ms to build. */
  readonly size: number
  /** @defaultValue imports oidc-provider */
  readonly load?: LoadLibrary
}

/** Loads what is needed of oidc-provider. */
export type LoadLibrary = () => Promise<{ readonly Provider: typeof Provider }>

const RETRY_AFTER_S = 1

/**
 * Engine objects, built on demand and bounded in number: nothing grows with the number of instances (D7). The library
 * itself is loaded with the first of them: it is a tenth of what a server loads, and an idle one does without.
 */
export class ProviderPool {
  readonly #options: ProviderPoolOptions
  readonly #cache: LRUCache<string, PooledProvider>
  readonly #load: LoadLibrary
  #configuration: Configuration | undefined
  #first: Provider | undefined
  #loading: ReturnType<LoadLibrary> | undefined

  constructor(options: ProviderPoolOptions) {
    this.#options = options
    this.#cache = new LRUCache({ max: options.size })
    this.#load = options.load ?? (() => import('oidc-provider'))
  }

  /** @throws OAuthError 503 `temporarily_unavailable` when the library cannot be loaded; the next request tries again */
  async of(instance: Instance): Promise<PooledProvider> {
    const key = `${instance.id} ${instance.origin}`
    const known = this.#cache.get(key)
    if (known !== undefined) return known
    const library = await this.#library()
    // Another request may have come first while it was loaded.
    const pooled = this.#cache.get(key) ?? this.#build(instance, library.Provider)
    this.#cache.set(key, pooled)
    return pooled
  }

  /** Requests that come while it is loaded wait for the same. */
  async #library(): ReturnType<LoadLibrary> {
    const loading = (this.#loading ??= this.#load())
    try {
      return await loading
    } catch (cause) {
      if (this.#loading === loading) this.#loading = undefined
      throw new OAuthError('temporarily_unavailable', {
        cause,
        detail: 'oidc-provider cannot be loaded',
        headers: { 'Retry-After': String(RETRY_AFTER_S) },
      })
    }
  }

  #build(instance: Instance, LoadedProvider: typeof Provider): PooledProvider {
    const { adapter, lifetimes } = this.#options
    // One for all instances; made when the first is asked for, since its key takes a moment.
    this.#configuration ??= buildConfiguration({ adapter, lifetimes, unusedKey: unusedKey() })
    const provider = new LoadedProvider(instance.origin, this.#configuration)
    this.#first ??= provider
    tuneProvider(provider, this.#first)
    // What goes wrong here is answered by our renderer, not in the engine's words.
    provider.on('server_error', (_ctx, error) => {
      currentUnit().failure ??= error
    })
    return { provider, call: nativeCallOf(provider) }
  }
}

function unusedKey(): JWK {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  // The members of an EC key, which this is.
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' } as JWK
}

/**
 * The one place that changes how the engine works inside. Each change relies on a behaviour that is named here and
 * held by `test/unit/engine/internals.test.ts`, which fails when the engine's next version behaves differently.
 * @param first - the one whose class of clients all of the same configuration share
 */
export function tuneProvider(provider: Provider, first: Provider = provider): void {
  if (provider === first) {
    findParsedClients(provider)
    nameClientsOnly(provider)
  } else {
    shareClients(provider, first)
  }
  saveNoAccessTokens(provider)
  saveRefreshTokensBare(provider)
}

/**
 * Relies on: `Client.find` asks the adapter for the metadata and makes `new Client(metadata)` of it, and every route
 * finds clients through it. The engine hashes the whole record at each request to see whether it knows it, in a cache
 * of a hundred; here the adapter's own object, which it keeps for as long as the record is the same, leads to the
 * parsed client. If the engine finds clients otherwise, they are parsed or cached its way: slower, not wrong.
 */
function findParsedClients(provider: Provider): void {
  const parsed = new WeakMap<object, Client>()
  // The parts of the class that its declarations leave out.
  const Model = provider.Client as unknown as {
    readonly adapter: Pick<Adapter, 'find'>
    find(id: string): Promise<Client | undefined>
    new (metadata: AllClientMetadata): Client
  }

  Model.find = async function find(id) {
    const metadata = await Model.adapter.find(id)
    if (metadata === undefined) return undefined
    let client = parsed.get(metadata)
    if (client === undefined) {
      client = new Model(metadata)
      parsed.set(metadata, client)
    }
    return client
  }
}

/**
 * Relies on: the class of clients asks its provider for the configuration and the adapter only, which are the same for
 * all, and every route takes it from `provider.Client`. The engine makes the class and its rules anew for each provider:
 * 20 KiB each, and code that the processor and V8 meet for the first time with every instance. If the engine reaches its
 * class otherwise, it makes one: slower, not wrong.
 */
function shareClients(provider: Provider, { Client: shared }: Provider): void {
  Object.defineProperty(provider, 'Client', { value: shared })
}

/**
 * Relies on: `metadata()` of a client is called for what the adapter is given and what the routes answer, of which the
 * client's id and secret are all that anybody reads (`ClientStore.toChanges`, `registerNatively`, `manageNatively`). The
 * engine goes through every member twice a registration. If it asks for other members, the tests of the routes fail.
 */
function nameClientsOnly({ Client: model }: Provider): void {
  model.prototype.metadata = function metadata(this: Client): ClientMetadata {
    const { clientId, clientSecret } = this
    return {
      client_id: clientId,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
    }
  }
}

/**
 * Relies on: both grants call `save()` on a new access token and put what it answers into the response, where the
 * bridge replaces it by our own token (D69). The engine would make, pick apart, announce and "store" a token that
 * nobody gets. If it asks for the token in another way, the adapter takes it and stores nothing: slower, not wrong.
 */
function saveNoAccessTokens(provider: Provider): void {
  provider.AccessToken.prototype.save = async function save(): Promise<string> {
    this.jti = randomUUID()
    return this.jti
  }
}

/**
 * Relies on: an exchange calls `save()` on a new refresh token, and a later refresh asks of it only what is saved
 * here. The engine would go through every member that any kind of token may have, several times. If it saves another
 * way, the adapter gets all of it and takes what it needs: slower, not wrong.
 */
function saveRefreshTokensBare(provider: Provider): void {
  // The declarations leave the maker of values out.
  const model = provider.RefreshToken.prototype as InstanceType<Provider['RefreshToken']> & {
    generateTokenId(): string
  }

  model.save = async function save(): Promise<string> {
    const { accountId, clientId, grantId, resource, scope } = this
    const jti = model.generateTokenId.call(this)
    this.jti = jti
    await this.adapter.upsert(jti, { jti, accountId, clientId, grantId, resource, scope })
    return jti
  }
}

import { randomUUID } from 'node:crypto'
import type { Adapter, AllClientMetadata, Client, Provider } from 'oidc-provider'

/**
 * The one place that changes how the engine works inside. Each change relies on a behaviour that is named here and
 * held by `test/unit/engine/internals.test.ts`, which fails when the engine's next version behaves differently.
 */
export function tuneProvider(provider: Provider): void {
  findParsedClients(provider)
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

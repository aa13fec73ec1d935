import type { Store } from '@svc/store'
import type { Provider } from 'oidc-provider'
import { OAuthError } from '../errors.ts'
import { type Instance, randomId } from '@svc/platform'
import type { ClientRecords } from './client-records.ts'
import type { CodeRequest, Engine } from './engine.ts'
import type { Grants } from './grants.ts'
import { OWNER, RESOURCE } from './payloads.ts'
import type { NativeEngine } from './provider-pool.ts'
import { tokenOfGrant } from './records.ts'
import { changesOf, newUnit, type Units } from './unit-of-work.ts'

export interface MintOptions {
  readonly store: Store
  readonly clients: ClientRecords
  readonly units: Units
  readonly grants: Grants
  readonly providerOf: (instance: Instance) => NativeEngine
}

const GRANT_ID_BYTES = 16
const CODE_BYTES = 32

/** Makes a grant and its code through the engine's models, in one write that demands the client. @see oauth.md 13.1 */
export function createMint(options: MintOptions): Engine['mintCode'] {
  const { store, clients, units, grants, providerOf } = options

  async function save(provider: Provider, request: CodeRequest): Promise<string> {
    const { client, redirectUri, scope, codeChallenge } = request
    const grantId = randomId(GRANT_ID_BYTES)
    const code = new provider.AuthorizationCode({
      accountId: OWNER,
      clientId: client.id,
      expiresWithSession: false,
      grantId,
      redirectUri,
      resource: RESOURCE,
      scope,
      ...(codeChallenge === undefined ? {} : { codeChallenge, codeChallengeMethod: 'S256' }),
      // The declared type wants a parsed client, of which the model takes the identifier.
    } as unknown as ConstructorParameters<Provider['AuthorizationCode']>[0])
    code.jti = tokenOfGrant(grantId, randomId(CODE_BYTES))
    const value = await code.save()
    const grant = new provider.Grant({ accountId: OWNER, clientId: client.id })
    grant.jti = grantId
    grant.addResourceScope(RESOURCE, scope)
    await grant.save()
    return value
  }

  return async function mintCode(instance, request) {
    const unit = newUnit(instance)
    if (request.endsAt !== undefined) unit.grantEndsAt = request.endsAt
    const code = await units.run(unit, () => save(providerOf(instance).provider, request))
    const result = await store.write(
      [
        { op: 'check', key: clients.keyOf(instance, request.client.id), ifPresent: true },
        ...changesOf(unit),
      ],
      { id: randomId() },
    )
    if (!result.written) {
      const description = 'The client must be registered'
      throw new OAuthError('invalid_client', { status: 400, description })
    }
    await grants.trim(instance, request.client.id)
    return code
  }
}

import {
  type Instance,
  isSlug,
  requirement,
  type RouteAuth,
  type RouteContext,
} from '@svc/platform'
import { clientTarget, isCertified } from '../clients/client.ts'
import { KONNECTOR_TOKEN_MS } from '../lifetimes.ts'
import { MAXIMAL } from '../scopes/permission.ts'
import type { OAuthServices } from '../services.ts'
import { insufficientScope } from '../tokens/bearer.ts'
import { signJwt } from '../tokens/jwt.ts'
import { authenticate } from './access.ts'
import type { AccessServices } from './caller.ts'

/** Tokens of the instance's konnectors. @see oauth.md 7.1, 10.1; security.md 81 */
export interface KonnectorTokens {
  /** A fresh 30 min token of an installed konnector, without scope; undefined when there is no such konnector. */
  issue(instance: Instance, slug: string): Promise<string | undefined>
}

/** Signs with the key of the instance's sessions: what a konnector may do ends with a passphrase change. */
export async function issueKonnectorToken(
  { keyring, clock, konnectors }: Pick<AccessServices, 'clock' | 'keyring' | 'konnectors'>,
  instance: Instance,
  slug: string,
): Promise<string | undefined> {
  const konnector = await konnectors?.installed(instance, slug)
  if (konnector === undefined) return undefined
  const key = await keyring.current(instance, 'session')
  const iat = Math.floor(clock.now() / 1000)
  const exp = iat + KONNECTOR_TOKEN_MS / 1000
  return signJwt(key, { iss: instance.domain, aud: 'konn', sub: konnector.slug, iat, exp })
}

/** Only a certified client may start a konnector. @see oauth.md 8 */
export const requireCertifiedClient: RouteAuth<AccessServices> = requirement(
  ['access token'],
  async function requireCertifiedClient(ctx, services) {
    const access = await authenticate(ctx, services)
    const { kind, client, permissions } = access
    if (kind !== 'access' || client === undefined || !permissions.includes(MAXIMAL)) {
      throw insufficientScope()
    }
    if (!isCertified(client, services.flagship)) throw insufficientScope()
    ctx.state['access'] = access
  },
)

/** `POST /auth/tokens/konnectors/:slug`: a certified app starts a konnector. @see oauth.md 8 */
export async function sendKonnectorToken(
  ctx: RouteContext,
  services: AccessServices & Pick<OAuthServices, 'activity' | 'store'>,
): Promise<void> {
  const { instance } = ctx.state
  const slug = String(ctx['params']?.slug)
  const token = isSlug(slug) ? await issueKonnectorToken(services, instance, slug) : undefined
  if (token === undefined) {
    // SPEC: oauth.md 8 - exactly this.
    ctx.status = 404
    ctx.body = { error: 'not found' }
    return
  }
  const { client } = ctx.state.access ?? {}
  const note = services.activity.pending(instance, {
    event: 'konnector.token',
    actor: client === undefined ? { kind: 'client' } : clientTarget(client),
    target: { kind: 'konnector', id: slug, name: slug },
  })
  if (note.length > 0) await services.store.write(note)
  ctx.status = 201
  ctx.type = 'application/json; charset=utf-8'
  ctx.body = JSON.stringify(token)
}

import type { Instance, Keyring } from '@svc/platform'
import type { Lifetimes } from '../lifetimes.ts'
import type { AppManifest } from '../ports.ts'
import { manifestPermissions } from '../scopes/manifest.ts'
import { serializeScope } from '../scopes/scope.ts'
import { signJwt } from './jwt.ts'

/** Tokens of the instance's own web apps. @see oauth.md 7.1, decisions D29, D35 */
export interface AppTokens {
  /** A fresh 24 h token of an installed app, bound to a session. */
  issue(instance: Instance, app: AppManifest, sessionId: string): Promise<string>
}

/** The claim only informs (D35); a longer one would make the token longer than the guard reads. */
const MAX_SCOPE_LENGTH = 4096

/** A fresh token of an installed app; signed with the key of the instance's sessions, it dies with it. */
export async function issueAppToken(
  services: {
    readonly keyring: Pick<Keyring, 'current'>
    readonly clock: { now(): number }
    readonly lifetimes: Pick<Lifetimes, 'accessTokenMs'>
  },
  instance: Instance,
  app: AppManifest,
  sessionId: string,
): Promise<string> {
  const { keyring, clock, lifetimes } = services
  const key = await keyring.current(instance, 'session')
  const scope = serializeScope(manifestPermissions(app.permissions))
  const iat = Math.floor(clock.now() / 1000)
  return signJwt(key, {
    iss: instance.domain,
    aud: 'app',
    sub: app.slug,
    iat,
    exp: iat + lifetimes.accessTokenMs / 1000,
    ...(scope.length > MAX_SCOPE_LENGTH ? {} : { scope }),
    session_id: sessionId,
  })
}

// Compiled, never run: what the types promise and refuse.
import {
  type AccessContext,
  type Client,
  createOAuth,
  type OAuth,
  OAuthError,
  type OAuthOptions,
} from '@svc/oauth-core'
import { type Instance, type RouteRow } from '@svc/platform'

type Equals<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function assertType<_Holds extends true>(): void {}

export async function checkOAuth(options: OAuthOptions, instance: Instance): Promise<void> {
  const oauth = createOAuth(options)
  assertType<Equals<typeof oauth, OAuth>>()
  assertType<Equals<typeof oauth.rows, readonly RouteRow[]>>()
  const client = await oauth.clients.get(instance, 'id')
  assertType<Equals<typeof client, Client | undefined>>()
  oauth.on('code.created', (event) => assertType<Equals<typeof event.scope, string>>())
  oauth.guard({ verb: 'GET', type: 'io.svc.files' })

  // @ts-expect-error a verb is one of the five
  oauth.guard({ verb: 'READ', type: 'io.svc.files' })
  // @ts-expect-error there is no event of this name
  oauth.on('code.made', () => {})
  // @ts-expect-error sealing keys are needed
  createOAuth({ store: options.store, apps: options.apps })
  // @ts-expect-error app hosts are named in one of two ways
  createOAuth({ ...options, subdomains: 'wild' })
  // @ts-expect-error a code names a row of the error table
  throw new OAuthError('no_such_code')
}

export function checkAccess(access: AccessContext): void {
  assertType<Equals<typeof access.kind, 'access' | 'app' | 'konnector'>>()
  access.allows('PUT', 'io.svc.files', { id: '1', folder: 'music' })
  // @ts-expect-error what a caller may do is not changed behind the guard
  access.permissions.push({ type: 'io.svc.files', verbs: ['GET'] })
}

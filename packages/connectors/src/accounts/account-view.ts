import type { AccessContext } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { AccountType } from '../account-types/account-type.ts'
import type { AccountViewer } from '../connectors.ts'
import type { ConnectorsServices } from '../services.ts'
import { type AccountCredentials, type AccountDocument, accountTypeName } from './account.ts'
import { countUse } from './account-activity.ts'
import { credentialsOf } from './account-seal.ts'
import { LEGACY_SECRETS } from './legacy-auth.ts'
import { withoutSealed } from './sealed-fields.ts'

/** What an account is looked at for. `refresh`: the answer of its refresh endpoint. */
export type ViewPurpose = 'read' | 'refresh'

/** Members of `oauth` that are no secret. */
const PUBLIC_OAUTH = [
  'token_type',
  'expires_at',
  'scope',
  'refresh_expires_at',
  'subject',
  'status',
  'refresh_seq',
  'refreshed_at',
  'last_error',
] as const

/** Shows an account to somebody, as much of it as is theirs. @see connectors.md 7.4 */
export async function viewAccount(
  services: ConnectorsServices,
  instance: Instance,
  account: AccountDocument,
  viewer: AccountViewer,
  purpose: ViewPurpose = 'read',
): Promise<Readonly<Record<string, unknown>>> {
  const shown = publicAccount(account)
  const { oauth } = account
  if (oauth === undefined) return shown
  const type = await services.accountTypes.get(accountTypeName(account), instance.context)
  const isConnector = isConnectorOf(viewer, account, type)
  const seesToken =
    isConnector ||
    purpose === 'refresh' ||
    (viewer.kind === 'app' && viewer.wantsCredentials === true)
  if (!seesToken) return shown
  const credentials = credentialsOf(services, instance, account)
  const { accessToken, callbackResults } = credentials
  if (accessToken !== undefined) countUse(services, instance, account, 'credentials')
  return {
    ...shown,
    oauth: {
      // Made by `publicAccount` of an object.
      ...(shown['oauth'] as Record<string, unknown>),
      ...(accessToken !== undefined && { access_token: accessToken }),
      // SPEC: 7.3.4
      ...(!credentials.isIntact && { status: 'reconnect_required' }),
      ...(isConnector && secretsOfConnector(services, credentials, oauth)),
    },
    ...(isConnector &&
      callbackResults !== undefined && { oauth_callback_results: callbackResults }),
  }
}

/** What of the secrets is for the connector of the account alone. */
export function secretsOfConnector(
  { options }: Pick<ConnectorsServices, 'options'>,
  credentials: AccountCredentials,
  oauth: NonNullable<AccountDocument['oauth']>,
): Readonly<Record<string, unknown>> {
  const { refreshToken, query, clientSecret } = credentials
  return {
    ...(options.exposeRefreshToken &&
      refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(options.allowClientSideExchange && {
      ...(query !== undefined && { query }),
      ...(oauth.client_id !== undefined && { client_id: oauth.client_id }),
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
    }),
  }
}

/** The connector that the type is for: the one it names, else the one of its own name. @see connectors.md 6.7 */
export function isConnectorOf(
  viewer: AccountViewer,
  account: AccountDocument,
  type: AccountType | undefined,
): boolean {
  if (viewer.kind !== 'konnector' || viewer.slug === undefined) return false
  return viewer.slug === (type?.slug ?? accountTypeName(account))
}

export function viewerOf({ kind, app, konnector }: AccessContext): AccountViewer {
  const slug = kind === 'konnector' ? konnector?.slug : app?.slug
  return { kind, ...(slug !== undefined && { slug }) }
}

/**
 * The account without anything sealed, and without anything that should have been: what subscribers and readers get.
 * @see connectors.md 7.2, 7.4
 */
export function publicAccount(account: AccountDocument): Record<string, unknown> {
  const bare = withoutSealed(account)
  delete bare['oauth_callback_results']
  const { oauth, auth, data } = bare
  if (isMembers(oauth)) bare['oauth'] = pick(oauth, PUBLIC_OAUTH)
  if (isMembers(auth)) bare['auth'] = withoutSecrets(auth)
  if (isMembers(data) && isMembers(data['auth'])) {
    bare['data'] = { ...data, auth: withoutSecrets(data['auth']) }
  }
  return bare
}

function withoutSecrets(auth: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(auth).filter(
    ([name]) => name !== 'password' && !LEGACY_SECRETS.includes(name),
  )
  return Object.fromEntries(kept)
}

function pick(
  members: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(members, name)).map((name) => [name, members[name]]),
  )
}

function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

import { type AccountViewer, type Connectors, withoutSealed } from '@svc/connectors'
import type { AccessContext } from '@svc/oauth-core'
import type { RouteContext } from '@svc/platform'
import type { DoctypeRules } from './doctype-rules.ts'
import { requireRoom, toAccount, toFields } from '../../accounts/account-store.ts'
import { malformed } from './data-wire.ts'
import type { DocumentStore, Fields, StoredDocument } from '../../documents/document-store.ts'

/** Whoever is not known gets what everybody gets. */
const NOBODY: AccountViewer = { kind: 'access' }

/**
 * Accounts on the data routes: each reader its part, no secret written by hand, nothing refreshed that is gone.
 * @param type - `<namespace>.accounts`
 * @see connectors.md 7.4, 4.9
 */
export function accountRules(
  type: string,
  connectors: Connectors,
  documents: Pick<DocumentStore, 'list'>,
): DoctypeRules {
  return {
    type,
    async show(ctx, access, document) {
      const viewer = viewerOf(ctx, access)
      return toFields(await connectors.view(ctx.state.instance, toAccount(document), viewer))
    },
    async showAll(instance, document) {
      return toFields(await connectors.view(instance, toAccount(document), NOBODY))
    },
    admit(instance, sent, before) {
      const fields = admitAccount(sent.fields, before)
      return toFields(connectors.sealAuth(instance, toAccount({ ...sent, rev: '', fields })))
    },
    requireRoom: (instance, document) => requireRoom(documents, instance, document),
    deleted: (instance, document, access) =>
      connectors.accountDeleted(instance, toAccount(document), access),
  }
}

function viewerOf(ctx: RouteContext, { kind, app, konnector }: AccessContext): AccountViewer {
  const slug = kind === 'konnector' ? konnector?.slug : app?.slug
  return {
    kind,
    ...(slug !== undefined && { slug }),
    wantsCredentials: ctx.state.query.get('include') === 'credentials',
  }
}

type Members = Readonly<Record<string, unknown>>

const MAX_TYPE = 200
const SEALED = '_encrypted'

/**
 * What is kept of an account that a caller sent: tokens and everything sealed are the service's. An account that was
 * read and is written back keeps what the caller was not shown.
 * @param before - the account that is replaced
 * @throws OAuthError `invalid_request`
 * @see docs/decisions/0185-accounts-among-documents.md
 */
function admitAccount(sent: Fields, before: StoredDocument | undefined): Fields {
  const { oauth: _, oauth_callback_results: _results, ...others } = withoutSealed(sent)
  const { account_type: type } = others
  if (typeof type !== 'string' || type === '' || type.length > MAX_TYPE) {
    throw malformed('account_type is missing or malformed')
  }
  const kept = before?.fields ?? {}
  if (kept['oauth'] !== undefined && kept['account_type'] !== type) {
    throw malformed('account_type of a connected account cannot change')
  }
  const fields = {
    ...others,
    ...withAuth(others, kept),
    ...pick(kept, ['oauth', `oauth_callback_results${SEALED}`]),
  }
  return fields as Fields // JSON that was sent, and JSON that was stored.
}

/** Sealed members of `auth` and `data.auth` stay, as long as there is no new value. @see connectors.md 7.3.5 */
function withAuth(sent: Members, kept: Members): Members {
  const { auth, data } = sent
  const keptData = isMembers(kept['data']) ? kept['data'] : {}
  return {
    ...(isMembers(auth) && { auth: mergeAuth(auth, kept['auth']) }),
    ...(isMembers(data) &&
      isMembers(data['auth']) && {
        data: { ...data, auth: mergeAuth(data['auth'], keptData['auth']) },
      }),
  }
}

function mergeAuth(sent: Members, kept: unknown): Members {
  if (!isMembers(kept)) return sent
  const sealed = Object.entries(kept).filter(([name]) => {
    if (!name.endsWith(SEALED)) return false
    const clear = name.slice(0, -SEALED.length)
    // A password belongs to its login.
    if (clear !== 'credentials') return sent[clear] === undefined
    return sent['password'] === undefined && sent['login'] === kept['login']
  })
  return { ...sent, ...Object.fromEntries(sealed) }
}

function pick(from: Members, names: readonly string[]): Members {
  return Object.fromEntries(
    names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]),
  )
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

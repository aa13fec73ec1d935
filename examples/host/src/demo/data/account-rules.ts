import type { AccountViewer, Connectors } from '@svc/connectors'
import type { AccessContext } from '@svc/oauth-core'
import type { RouteContext } from '@svc/platform'
import type { DoctypeRules } from './doctype-rules.ts'
import { toAccount, toFields } from '../../accounts/account-documents.ts'
import { admitAccount } from './account-writes.ts'

/** Whoever is not known gets what everybody gets. */
const NOBODY: AccountViewer = { kind: 'access' }

/**
 * Accounts on the data routes: each reader its part, no secret written by hand, nothing refreshed that is gone.
 * @param type - `<namespace>.accounts`
 * @see connectors.md 7.4, 4.9
 */
export function accountRules(type: string, connectors: Connectors): DoctypeRules {
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
    deleted: (instance, document) => connectors.accountDeleted(instance, toAccount(document)),
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

import {
  defineRoute,
  type Instance,
  provedInHandler,
  type Route,
  type RouteContext,
} from '@svc/platform'
import { MAX_PASSKEYS, passkeyCreationOptions } from '../factors/passkeys.ts'
import { onboardedOwner } from '../owner/owner-store.ts'
import type { AuthUiServices } from '../services.ts'
import type { Session } from '../session/session.ts'
import { locateTarget } from '../login/complete-login.ts'
import { redirect } from '../web/answer.ts'
import {
  formActionSources,
  homeTarget,
  parseTarget,
  type RedirectTarget,
} from '../web/redirect-target.ts'
import { readUserAgent } from '../web/request-facts.ts'
import { labelOf } from './passkey-label.ts'

/** Would a passkey be faster next time? @see owner.md 2.7 */
export const passkeyOfferRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/auth/passkey/offer',
    handler: showOffer,
    auth: provedInHandler(['none', 'session cookie'], 'passkeys/passkey-offer.ts'),
    statuses: [200, 302, 400],
    family: 'html',
    summary: 'Offers a passkey after a login by passphrase, or leads on.',
    source: 'owner.md 2.7',
  }),
]

async function showOffer(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, query } = ctx.state
  const target = await offerTarget(services, instance, query.text('redirect'))
  const session = await services.sessionMiddleware.current(ctx)
  const owner = await onboardedOwner(services, instance)
  const hasRoom = (owner?.factors?.passkeys?.length ?? 0) < MAX_PASSKEYS
  const isAnswered = query.text('answered') !== ''
  if (owner === undefined || !isJustLoggedIn(services, session) || !hasRoom || isAnswered) {
    return redirect(ctx, await locateTarget(services, ctx, target, session, 'keep'))
  }
  ctx.status = 200
  // SPEC: login.md 4.1 - HEAD makes no challenge.
  if (ctx.method === 'HEAD') return
  await services.pages.passkeyOfferPage(ctx, {
    csrfToken: await services.csrf.token(ctx),
    formActionSources: formActionSources(instance, target),
    options: await passkeyCreationOptions(services, instance, owner, offerProof(session)),
    label: labelOf(readUserAgent(ctx.get('User-Agent'))),
    redirect: target.href,
    continueHref: `/auth/passkey/offer?answered=1&redirect=${encodeURIComponent(target.href)}`,
  })
}

/** Where an offer leads on to. @throws AuthUiError `bad_redirect` */
export function offerTarget(
  services: AuthUiServices,
  instance: Instance,
  raw: string,
): Promise<RedirectTarget> {
  return raw === '' ? homeTarget(services, instance) : parseTarget(services, instance, raw)
}

/** Whether the passphrase opened this session a moment ago, which is as good as a confirmation. */
export function isJustLoggedIn(
  { clock, lifetimes }: Pick<AuthUiServices, 'clock' | 'lifetimes'>,
  session: Session | undefined,
): session is Session {
  if (session === undefined || session.kind === 'short' || session.method !== 'password') {
    return false
  }
  return clock.now() - session.createdAt < lifetimes.confirmCode
}

/** Stands for the code of a confirmation: the session's own, which no page shows. */
export function offerProof({ id }: Session): string {
  return `offer:${id}`
}

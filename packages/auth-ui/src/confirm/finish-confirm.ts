import { type Instance, type RouteContext, SECOND_MS, withoutParameters } from '@svc/platform'
import { describeError } from '@svc/store'
import type { PassedFactor } from '../factors/challenge-answer.ts'
import type { Owner } from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'
import { noteOwn } from '../web/activity.ts'
import { answerRedirect } from '../web/answer.ts'
import { homeTarget, parseTarget, type RedirectTarget } from '../web/redirect-target.ts'
import { type Confirmation, createConfirmation } from './confirmation.ts'

/** What a confirmation was about, once it was given. */
interface FinishedConfirmation {
  readonly state: string
  readonly redirect: string | undefined
  /** The second step, where there was one, or the passkey in place of the passphrase. */
  readonly passed?: PassedFactor & Pick<Confirmation, 'withoutPassphrase'>
}

/** SPEC: realtime.md 7.5 - a slow bus delays the answer no longer. */
const MAX_WAIT_MS = SECOND_MS

/**
 * The end of a confirmation, reached from the form or from its second step: stores the code, notifies the apps, then
 * answers 302 or 200 `{ redirect }` with `state` and `code`. The event comes after everything that can fail, and before
 * the answer.
 * @see login.md 6.2
 */
export async function finishConfirm(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  { state, redirect, passed }: FinishedConfirmation,
): Promise<void> {
  const { instance } = ctx.state
  // Parsed again: the app may be gone since the first step.
  const target = await parseConfirmTarget(services, instance, redirect ?? '')
  const { slug, outerHost } = target
  const name = await nameOfTarget(services, instance, target)
  const note = noteOwn(services, ctx, {
    event: 'owner.confirmed',
    ...(name === undefined ? {} : { target: { kind: 'app', id: slug ?? name, name } }),
  })
  const confirmation = {
    state,
    ...(slug === undefined ? {} : { slug }),
    ...(outerHost === undefined ? {} : { host: outerHost }),
    ...passed,
  }
  const code = await createConfirmation(services, instance, owner, confirmation, note)
  await notifyApps(services, instance, state)
  services.log.info('owner.confirmed', { domain: instance.domain })
  answerRedirect(ctx, confirmedLocation(target, { state, code }))
}

async function notifyApps(
  services: AuthUiServices,
  instance: Instance,
  state: string,
): Promise<void> {
  // SPEC: decision D22 - deployed clients read only `doc`. The code never travels here.
  const event = { type: `${services.namespace}.auth.confirmations`, id: state, doc: { _id: state } }
  const told = services.events.publish(instance, 'CREATED', event).catch((error: unknown) => {
    services.log.error('confirmation.untold', {
      domain: instance.domain,
      cause: describeError(error),
    })
  })
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, MAX_WAIT_MS)
  })
  await Promise.race([told, patience])
  clearTimeout(timer)
}

/** As for a login, and the hosts of the operator's list; empty: home. @throws AuthUiError `bad_redirect` */
export function parseConfirmTarget(
  services: AuthUiServices,
  instance: Instance,
  raw: string,
): Promise<RedirectTarget> {
  return raw === ''
    ? homeTarget(services, instance)
    : parseTarget(services, instance, raw, services.options.confirm.authorizedHosts)
}

/**
 * The `Location` after a confirmation: `state` and `code` in place of any the target had, the rest byte for byte. A
 * fragment of the target is kept, except on the instance's own host, where `#` stops the browser from carrying its own
 * on.
 * @see login.md 6.2
 */
export function confirmedLocation(
  target: RedirectTarget,
  confirmed: { readonly state: string; readonly code: string },
): string {
  const at = target.href.indexOf('#')
  const bare = at === -1 ? target.href : target.href.slice(0, at)
  const kept = withoutParameters(bare, ['code', 'state'])
  const added = `state=${encodeURIComponent(confirmed.state)}&code=${confirmed.code}`
  const address = `${kept}${kept.includes('?') ? '&' : '?'}${added}`
  if (target.slug === undefined && target.outerHost === undefined) return `${address}#`
  return at === -1 ? address : address + target.href.slice(at)
}

/** Name of the app or host that the target belongs to; undefined: the instance itself. */
export async function nameOfTarget(
  services: AuthUiServices,
  instance: Instance,
  { slug, outerHost }: RedirectTarget,
): Promise<string | undefined> {
  if (slug === undefined) return outerHost
  return (await services.apps.installed(instance, slug))?.name ?? slug
}

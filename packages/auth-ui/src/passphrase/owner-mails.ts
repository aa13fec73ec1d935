import { noteUnknown } from '../web/activity.ts'
import { type Visitor, visitorOf } from '../web/visitor.ts'
import { HINT_FORM_SCHEMA, RESEND_SCHEMA } from './reset.schema.ts'
import {
  anybody,
  defineRoute,
  type Instance,
  prefersJson,
  type Route,
  type RouteContext,
} from '@svc/platform'
import type { AuthUiServices } from '../services.ts'
import { createOnboardingUrl } from './new-owner.ts'
import { parseTarget } from '../web/redirect-target.ts'
import { AuthUiError } from '../errors.ts'
import { answerJson } from '../web/answer.ts'
import type { MailSentPageModel } from '../pages/page-models.ts'
import { isWithinLimit } from '../rate-limits.ts'
import { loginHref, resetHref } from './reset.ts'

/** Mails that anybody may ask for and only the owner gets. @see login.md 5.5 */
export const ownerMailRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'POST',
    path: '/auth/hint',
    handler: mailHint,
    auth: anybody,
    limit: [{ bucket: 'send-hint', inRule: 'mails; asked in sendHint' }],
    body: { types: ['form'], optional: true, schema: HINT_FORM_SCHEMA },
    statuses: [200, 400, 403, 413, 415],
    family: 'html',
    csrf: 'origin',
    activity: 'hint.sent',
    summary: 'Mails the hint to the owner; the answer is the same whether there is one.',
    source: 'login.md 5.5',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/onboarding/resend',
    handler: resendOnboarding,
    auth: anybody,
    limit: [{ bucket: 'resend-onboarding-mail', inRule: 'mails; asked in sendOnboarding' }],
    body: { types: ['form'], optional: true, schema: RESEND_SCHEMA },
    statuses: [200, 400, 403, 413, 415],
    family: 'html',
    csrf: 'origin',
    activity: { none: 'The space has no owner yet.' },
    summary: 'Mails a fresh onboarding link; the answer is the same whether one was needed.',
    source: 'login.md 5.5',
  }),
]

/** Everything happens behind the answer: neither its bytes nor its time tell what there was to send. */
async function mailHint(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, form, query } = ctx.state
  const raw = form.text('redirect') || query.text('redirect')
  const target = raw === '' ? undefined : await parseTarget(services, instance, raw)
  const visitor = visitorOf(services, ctx)
  services.background.afterAnswer(ctx, 'mail.passphrase_hint', () => sendHint(services, visitor))
  // The way to a new passphrase is there for everybody: only the owner's mailbox tells whether there is a hint.
  const hrefs = { loginHref: loginHref(target), resetHref: resetHref(target) }
  await answerSent(services, ctx, 'passphrase_hint', hrefs)
}

async function resendOnboarding(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance } = ctx.state
  services.background.afterAnswer(ctx, 'mail.onboarding', () => sendOnboarding(services, instance))
  await answerSent(services, ctx, 'onboarding', { loginHref: loginHref(undefined) })
}

async function sendHint(services: AuthUiServices, visitor: Visitor): Promise<void> {
  const { instance } = visitor
  const owner = (await services.owners.get(instance.id))?.owner
  if (owner?.hint === undefined || instance.email === undefined) return
  if (!(await isWithinLimit(services.limits, instance, 'send-hint'))) return
  await services.mailer.send(instance, {
    template: 'passphrase_hint',
    variables: { hint: owner.hint, url: `${instance.origin}/auth/login` },
  })
  const note = noteUnknown(services, visitor, { event: 'hint.sent' })
  if (note.length > 0) await services.store.write(note)
}

async function sendOnboarding(services: AuthUiServices, instance: Instance): Promise<void> {
  if (instance.email === undefined) return
  if ((await services.owners.get(instance.id))?.owner.onboardedAt !== undefined) return
  if (!(await isWithinLimit(services.limits, instance, 'resend-onboarding-mail'))) return
  try {
    const url = await createOnboardingUrl(services, instance)
    await services.mailer.send(instance, { template: 'onboarding', variables: { url } })
  } catch (error) {
    // Somebody onboarded meanwhile: then there is nothing to send.
    if (AuthUiError.is(error, 'already_onboarded')) return
    throw error
  }
}

async function answerSent(
  services: AuthUiServices,
  ctx: RouteContext,
  mail: 'passphrase_hint' | 'onboarding',
  hrefs: Pick<MailSentPageModel, 'loginHref' | 'resetHref'>,
): Promise<void> {
  if (prefersJson(ctx)) return answerJson(ctx, { status: 'sent' })
  ctx.status = 200
  await services.pages.mailSentPage(ctx, { mail, ...hrefs })
}

import { type Instance, prefersJson, type RouteContext } from '@svc/platform'
import type { Background } from '../background.ts'
import { AuthUiError } from '../errors.ts'
import { answerJson } from '../web/answer.ts'
import type { Redirects } from '../web/redirect-target.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { MailSentPageModel } from '../pages/page-models.ts'
import type { PageRenderer } from '../pages/page-renderer.ts'
import type { Mailer } from '../ports.ts'
import { isWithinLimit, type RateLimits } from '../rate-limits.ts'
import { loginHref, resetHref } from './reset/request-reset.ts'

/** What {@link createOwnerMails} needs. */
export interface OwnerMailsOptions {
  readonly owners: OwnerStore
  /** A fresh onboarding link; the three latest stay valid. @throws AuthUiError `already_onboarded` */
  readonly createOnboardingUrl: (instance: Instance) => Promise<string>
  readonly redirects: Redirects
  readonly limits: RateLimits
  readonly mailer: Mailer
  readonly background: Background
  readonly pages: PageRenderer
}

/** Mails that anybody may ask for and only the owner gets. */
export interface OwnerMailHandlers {
  /** `POST /auth/hint` */
  mailHint(ctx: RouteContext): Promise<void>
  /** `POST /auth/onboarding/resend` */
  resendOnboarding(ctx: RouteContext): Promise<void>
}

/** Everything happens behind the answer: neither its bytes nor its time tell what there was to send. @see login.md 5.5 */
export function createOwnerMails(options: OwnerMailsOptions): OwnerMailHandlers {
  const { owners, createOnboardingUrl, redirects, limits, mailer, background, pages } = options

  async function sendHint(instance: Instance): Promise<void> {
    const owner = (await owners.get(instance.id))?.owner
    if (owner?.hint === undefined || instance.email === undefined) return
    if (!(await isWithinLimit(limits, instance, 'send-hint'))) return
    await mailer.send(instance, {
      template: 'passphrase_hint',
      variables: { hint: owner.hint, url: `${instance.origin}/auth/login` },
    })
  }

  async function sendOnboarding(instance: Instance): Promise<void> {
    if (instance.email === undefined) return
    if ((await owners.get(instance.id))?.owner.onboardedAt !== undefined) return
    if (!(await isWithinLimit(limits, instance, 'resend-onboarding-mail'))) return
    try {
      const url = await createOnboardingUrl(instance)
      await mailer.send(instance, { template: 'onboarding', variables: { url } })
    } catch (error) {
      // Somebody onboarded meanwhile: then there is nothing to send.
      if (AuthUiError.is(error, 'already_onboarded')) return
      throw error
    }
  }

  async function answerSent(
    ctx: RouteContext,
    mail: 'passphrase_hint' | 'onboarding',
    hrefs: Pick<MailSentPageModel, 'loginHref' | 'resetHref'>,
  ): Promise<void> {
    if (prefersJson(ctx)) return answerJson(ctx, { status: 'sent' })
    ctx.status = 200
    await pages.mailSentPage(ctx, { mail, ...hrefs })
  }

  return {
    async mailHint(ctx) {
      const { instance, form, query } = ctx.state
      const raw = form.text('redirect') || query.text('redirect')
      const target = raw === '' ? undefined : await redirects.parse(instance, raw)
      background.run('mail.passphrase_hint', () => sendHint(instance))
      // The way to a new passphrase is there for everybody: only the owner's mailbox tells whether there is a hint.
      const hrefs = { loginHref: loginHref(target), resetHref: resetHref(target) }
      await answerSent(ctx, 'passphrase_hint', hrefs)
    },
    async resendOnboarding(ctx) {
      const { instance } = ctx.state
      background.run('mail.onboarding', () => sendOnboarding(instance))
      await answerSent(ctx, 'onboarding', { loginHref: loginHref(undefined) })
    },
  }
}

import { type Logger, MINUTE_MS, prefersJson, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { Lifetimes } from '../lifetimes.ts'
import type { AnswerActivation } from '../login/activation.ts'
import { answerJson } from '../web/answer.ts'
import type { Redirects } from '../web/redirect-target.ts'
import { onboardedOwner } from '../owner/onboarded-owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { PageRenderer } from '../pages/page-renderer.ts'
import type { Mailer } from '../ports.ts'
import type { RateLimits } from '../rate-limits.ts'
import type { DescribeRequest } from '../web/request-facts.ts'
import { loginPath, magicLinkUrl } from './magic-link-url.ts'
import type { MagicCodes } from './magic-codes.ts'
import { newBrowserSecret, setRequestCookie } from './request-cookie.ts'

/** What {@link createRequestLink} needs. */
export interface RequestLinkOptions {
  readonly owners: OwnerStore
  readonly magicCodes: MagicCodes
  readonly redirects: Redirects
  readonly limits: RateLimits
  readonly mailer: Mailer
  readonly pages: PageRenderer
  readonly lifetimes: Lifetimes
  readonly describeRequest: DescribeRequest
  readonly answerActivation: AnswerActivation
  readonly log: Logger
}

/** `POST /auth/magic_link`: mails a link, and remembers that this browser asked for it. @see login.md 5.3 */
export function createRequestLink(
  options: RequestLinkOptions,
): (ctx: RouteContext) => Promise<void> {
  const { owners, magicCodes, redirects, limits, mailer, pages, lifetimes, log } = options

  return async function requestMagicLink(ctx) {
    const { instance, form, query } = ctx.state
    const owner = await onboardedOwner(owners, ctx)
    if (owner === undefined) return options.answerActivation(ctx)
    const asked = form.text('redirect') || query.text('redirect')
    const redirect = asked === '' ? '' : (await redirects.parse(instance, asked)).href
    if (owner.magicLink !== true) throw new AuthUiError('magic_link_disabled')
    await limits.hit(instance, 'magic-link-send')

    const secret = newBrowserSecret()
    const code = await magicCodes.create(instance, owner, {
      browser: secret,
      ...(redirect === '' ? {} : { redirect }),
    })
    const minutes = Math.max(1, Math.round(lifetimes.magicCode / MINUTE_MS))
    const facts = await options.describeRequest(ctx)
    const url = magicLinkUrl(instance, code, redirect)
    try {
      await mailer.send(instance, { template: 'magic_link', variables: { ...facts, url, minutes } })
    } catch (cause) {
      await magicCodes.take(instance, owner, code)
      await limits.release(instance, 'magic-link-send')
      throw new AuthUiError('mail_failed', { cause })
    }
    log.info('magic_link.sent', { instance: instance.domain, address: facts.address })
    setRequestCookie(ctx, secret, lifetimes.magicCode)
    if (prefersJson(ctx)) return answerJson(ctx, { status: 'sent' })
    await pages.mailSentPage(ctx, { mail: 'magic_link', minutes, loginHref: loginPath(redirect) })
    ctx.status = 200
  }
}

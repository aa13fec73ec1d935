import { REQUEST_LINK_SCHEMA } from './magic-link.schema.ts'
import {
  anybody,
  defineRoute,
  type Instance,
  MINUTE_MS,
  prefersJson,
  randomId,
  type Route,
  type RouteContext,
} from '@svc/platform'
import { noteUnknown } from '../web/activity.ts'
import type { AuthUiServices } from '../services.ts'
import { describeVisitor, visitorOf } from '../web/visitor.ts'
import { createMagicCode, takeMagicCode } from './magic-code.ts'
import { parseTarget } from '../web/redirect-target.ts'
import { answerActivation } from '../login/activation.ts'
import { AuthUiError } from '../errors.ts'
import { answerJson } from '../web/answer.ts'
import { onboardedOwner } from '../owner/owner-store.ts'
import { readCookies, writeCookie } from '../web/cookies.ts'

/** Asking for a mailed link. @see login.md 5.3 */
export const requestLinkRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'POST',
    path: '/auth/magic_link',
    handler: requestMagicLink,
    auth: anybody,
    limit: [{ bucket: 'magic-link-send', inRule: 'mails; asked in requestMagicLink' }],
    body: { types: ['form'], optional: true, schema: REQUEST_LINK_SCHEMA },
    statuses: [200, 400, 403, 404, 412, 413, 415, 429],
    family: 'html',
    csrf: 'origin',
    activity: 'magic_link.sent',
    summary: 'Mails a link that logs the owner in.',
    source: 'login.md 5.3',
  }),
]

/** Mails a link, and remembers that this browser asked for it. */
async function requestMagicLink(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, form, query } = ctx.state
  const owner = await onboardedOwner(services, ctx.state.instance)
  if (owner === undefined) return answerActivation(services, ctx)
  const asked = form.text('redirect') || query.text('redirect')
  const redirect = asked === '' ? '' : (await parseTarget(services, instance, asked)).href
  if (owner.magicLink !== true) throw new AuthUiError('magic_link_disabled')
  await services.limits.hit(instance, 'magic-link-send')

  const secret = newBrowserSecret()
  const note = noteUnknown(services, visitorOf(services, ctx), { event: 'magic_link.sent' })
  const code = await createMagicCode(services, instance, owner, note, {
    browser: secret,
    ...(redirect === '' ? {} : { redirect }),
  })
  const minutes = Math.max(1, Math.round(services.lifetimes.magicCode / MINUTE_MS))
  const facts = await describeVisitor(services, visitorOf(services, ctx))
  const url = magicLinkUrl(instance, code, redirect)
  try {
    await services.mailer.send(instance, {
      template: 'magic_link',
      variables: { ...facts, url, minutes },
    })
  } catch (cause) {
    await takeMagicCode(services, instance, owner, code)
    await services.limits.release(instance, 'magic-link-send')
    throw new AuthUiError('mail_failed', { cause })
  }
  services.log.info('magic_link.sent', { domain: instance.domain, address: facts.address })
  setRequestCookie(ctx, secret, services.lifetimes.magicCode)
  if (prefersJson(ctx)) return answerJson(ctx, { status: 'sent' })
  await services.pages.mailSentPage(ctx, {
    mail: 'magic_link',
    minutes,
    loginHref: loginPath(redirect),
  })
  ctx.status = 200
}

const PATH = '/auth/magic_link'

/** A secret for a browser that asks for a link; one that it brings along is never taken over (login.md 10.9). */
export function newBrowserSecret(): string {
  return randomId()
}

/** Remembers in the browser that it asked. */
export function setRequestCookie(ctx: RouteContext, secret: string, maxAgeMs: number): void {
  const { instance } = ctx.state
  writeCookie(ctx, cookieName(instance), secret, {
    path: PATH,
    maxAgeMs,
    secure: instance.isHttps,
  })
}

/** What the request's cookies say, at most five. */
export function readRequestCookies(ctx: RouteContext): readonly string[] {
  return readCookies(ctx, cookieName(ctx.state.instance))
}

function cookieName(instance: Instance): string {
  return instance.isHttps ? '__Secure-magic-request' : 'magic-request'
}

/** The address in the mail. @param redirect - normalised; empty when none */
export function magicLinkUrl(instance: Instance, code: string, redirect: string): string {
  const back = redirect === '' ? '' : `&redirect=${encodeURIComponent(redirect)}`
  return `${instance.origin}/auth/magic_link?code=${code}${back}`
}

/** The login that leads to the same place. @param redirect - normalised; empty when none */
export function loginPath(redirect: string): string {
  return redirect === '' ? '/auth/login' : `/auth/login?redirect=${encodeURIComponent(redirect)}`
}

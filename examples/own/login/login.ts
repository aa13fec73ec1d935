import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { AuthorizePages, ConsentView, OAuth, OwnerSessions } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { Context } from 'koa'

/** What the company's login knows of a browser that has its cookie. */
export interface CompanySession {
  readonly id: string
  /** The user, as `externalId` of the instance names it. */
  readonly user: string
  /** Milliseconds since the epoch. */
  readonly since: number
}

/** The login that was there before. */
export interface CompanyLogin {
  readonly cookie: string
  find(value: string): Promise<CompanySession | undefined>
  /** Where users log in; it leads back to `returnTo`. */
  address(returnTo: string): string
}

/** Who is logged in at the company is the owner of the instance that carries the user's id, and of no other. */
export function companySessions(login: CompanyLogin): OwnerSessions {
  return {
    async current({ cookies, instance }) {
      const value = cookies.get(login.cookie)
      const session = value === undefined ? undefined : await login.find(value)
      if (session === undefined || session.user !== instance.externalId) return undefined
      return { id: session.id, kind: 'normal', createdAt: session.since }
    },
  }
}

const CSRF = '__Host-company-csrf'

/** All pages that oauth-core asks for. Those that this company never needs refuse. */
export function companyPages(login: CompanyLogin): AuthorizePages {
  const unused = async (ctx: Context): Promise<void> => {
    page(ctx, 'Not here', '<p>This is not offered here.</p>')
  }
  return {
    async login(ctx) {
      ctx.redirect(login.address(`${instanceOf(ctx).origin}${ctx.url}`))
    },
    async consent(ctx, view) {
      const rules = view.permissions.map(({ type, verbs }) => `${verbs.join(', ')}: ${type}`)
      const fields = { csrf_token: csrfToken(ctx), ...view.fields }
      const name = escape(view.client.metadata.client_name)
      page(
        ctx,
        'Allow?',
        `<p><bdi>${name}</bdi> asks for your data. The answer goes to <code>${escape(view.redirectUri)}</code>.</p>
<ul>${rules.map((rule) => `<li>${escape(rule)}</li>`).join('')}</ul>
<form method="post" action="/auth/authorize">${Object.entries(fields)
          .map(
            ([field, value]) =>
              `<input type="hidden" name="${escape(field)}" value="${escape(value)}">`,
          )
          .join('')}
<button type="submit">Allow</button> <a href="${escape(safe(view.cancelUrl))}">Refuse</a></form>`,
        view,
      )
    },
    certify: unused,
    deprecated: unused,
    limit: unused,
    sharing: unused,
    outOfBand: async (ctx, { code }) =>
      page(ctx, 'Your code', `<p><code>${escape(code)}</code></p>`),
    async error(ctx, { code, status }) {
      page(ctx, 'This did not work', `<p>${escape(code)}</p>`)
      ctx.status = status
    },
    checkCsrf(ctx, rule) {
      const site = ctx.get('Sec-Fetch-Site')
      const origin = ctx.get('Origin')
      const isOwn =
        site === ''
          ? origin === '' || origin === instanceOf(ctx).origin
          : site === 'same-origin' || site === 'none'
      if (!isOwn) throw refusal('cross_origin')
      const sent: string | undefined = ctx['state'].form?.get('csrf_token')
      if (sent === undefined && rule === 'origin') return
      if (!isSame(sent ?? '', ctx.cookies.get(cookieOf(ctx)) ?? '')) throw refusal('csrf_invalid')
    },
  }
}

/** The token of this browser: in its cookie, and in the form. A value that is not of this form is never taken over. */
function csrfToken(ctx: Context): string {
  const known = ctx.cookies.get(cookieOf(ctx)) ?? ''
  const token = /^[\w-]{43}$/.test(known) ? known : randomBytes(32).toString('base64url')
  const secure = instanceOf(ctx).isHttps
  ctx.append(
    'Set-Cookie',
    `${cookieOf(ctx)}=${token}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`,
  )
  return token
}

function cookieOf(ctx: Context): string {
  return instanceOf(ctx).isHttps ? CSRF : 'company-csrf'
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return one !== '' && timingSafeEqual(digest(one), digest(other))
}

function page(ctx: Context, title: string, body: string, view?: ConsentView): void {
  const sources = [
    "'self'",
    ...(view?.formActionSource === undefined ? [] : [view.formActionSource]),
  ]
  ctx.status = 200
  ctx.set({
    'Content-Security-Policy': `default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action ${sources.join(' ')}`,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
  })
  ctx.type = 'html'
  ctx.body = `<!doctype html>
<html lang="${escape(instanceOf(ctx).locale)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title></head>
<body><main><h1>${escape(title)}</h1>${body}</main></body></html>`
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '')
}

/** An address of an app of the device is a link, a script is none. */
function safe(href: string): string {
  return /^\s*(?:javascript|data|vbscript):/i.test(href) ? '/' : href
}

function refusal(code: string): Error {
  return Object.assign(new Error(code), { status: 403, code, expose: true })
}

function instanceOf(ctx: Context): Instance {
  return ctx['state'].instance
}

/** A user who leaves takes the sessions along: clients that were allowed something lose it with the instance. */
export async function userLeft(oauth: OAuth, user: string): Promise<void> {
  const instance = await oauth.instances.byExternalId(user)
  if (instance !== undefined) await oauth.instances.remove(instance.id)
}

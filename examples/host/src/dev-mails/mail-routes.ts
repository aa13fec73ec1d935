import { createHash } from 'node:crypto'
import { OAuthError, type RouteContext, type RouteRow } from '@svc/oauth-core'
import type { DevMailbox, KeptMail } from './mailbox.ts'

const STYLE = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{margin:2rem auto;max-width:44rem;padding:0 1rem}
li{margin-block:.75rem}pre{white-space:pre-wrap;overflow-wrap:anywhere}`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')
const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1'])
const LINK = /https?:\/\/[^\s<>"]+/g

/**
 * The development mailbox: mails of an instance that no server takes. They hold links that open the instance, so
 * only this machine may read them, and nothing behind a proxy counts as this machine.
 */
export function mailRoutes(mailbox: DevMailbox): readonly RouteRow[] {
  const shared = {
    method: 'GET',
    auth: ['none'],
    family: 'html',
    source: 'architecture.md 5',
  } as const
  return [
    {
      ...shared,
      path: '/dev/mails',
      statuses: [200, 404],
      summary: 'Lists the last mails, newest first. Development only, from this machine only.',
      async handler(ctx) {
        demandLoopback(ctx)
        const mails = await mailbox.list(ctx.state.instance)
        sendPage(ctx, 'Mails', mails.length === 0 ? '<p>No mail yet.</p>' : listOf(mails))
      },
    },
    {
      ...shared,
      path: '/dev/mails/:id',
      statuses: [200, 404],
      summary: 'One mail: its text, and a link to its HTML form.',
      async handler(ctx) {
        const { id, mail } = await find(ctx, mailbox)
        sendPage(
          ctx,
          mail.subject,
          `<p>From ${escape(mail.from.address)} to ${escape(mail.to.address)}, ${escape(mail.locale)}</p>
<pre>${linked(mail.text)}</pre>
<p><a href="/dev/mails/${id}/html">As HTML</a> · <a href="/dev/mails">All mails</a></p>`,
        )
      },
    },
    {
      ...shared,
      path: '/dev/mails/:id/html',
      statuses: [200, 404],
      summary: 'The HTML form of a mail.',
      async handler(ctx) {
        const { mail } = await find(ctx, mailbox)
        // Inline styles are what mails are made of; nothing else may run or load.
        send(
          ctx,
          mail.html,
          "default-src 'none'; style-src 'unsafe-inline'; sandbox allow-top-navigation-by-user-activation",
        )
      },
    },
  ]
}

function demandLoopback(ctx: RouteContext): void {
  const isDirect = ctx.get('X-Forwarded-For') === '' && ctx.get('Forwarded') === ''
  if (!isDirect || !LOOPBACK.has(ctx.req.socket.remoteAddress ?? '')) {
    throw new OAuthError('not_found')
  }
}

async function find(ctx: RouteContext, mailbox: DevMailbox): Promise<KeptMail> {
  demandLoopback(ctx)
  const kept = await mailbox.get(ctx.state.instance, String(ctx.params['id']))
  if (kept === undefined) throw new OAuthError('not_found')
  return kept
}

function listOf(mails: readonly KeptMail[]): string {
  const items = mails.map(({ id, keptAt, mail }) => {
    const time = new Date(keptAt).toISOString()
    return `<li><a href="/dev/mails/${id}">${escape(mail.subject)}</a><br><time datetime="${time}">${time}</time></li>`
  })
  return `<ol>${items.join('\n')}</ol>`
}

function linked(text: string): string {
  return escape(text).replaceAll(LINK, (url) => `<a href="${url}">${url}</a>`)
}

function sendPage(ctx: RouteContext, title: string, body: string): void {
  send(
    ctx,
    `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escape(title)}</h1>
${body}
</main></body></html>`,
    `default-src 'none'; style-src 'sha256-${STYLE_HASH}'`,
  )
}

function send(ctx: RouteContext, html: string, policy: string): void {
  ctx.set('Content-Security-Policy', `${policy}; base-uri 'none'; frame-ancestors 'none'`)
  ctx.set('X-Frame-Options', 'DENY')
  ctx.status = 200
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = html
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

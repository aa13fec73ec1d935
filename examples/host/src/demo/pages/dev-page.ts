import { createHash } from 'node:crypto'
import type { Context } from 'koa'

const STYLE = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{margin:2rem auto;max-width:44rem;padding:0 1rem}
li{margin-block:.75rem}pre{white-space:pre-wrap;overflow-wrap:anywhere}`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Answers a plain page of development. `body` is HTML, `title` is not. */
export function sendPage(ctx: Context, title: string, body: string): void {
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

/** Answers the HTML form of a mail. Inline styles are what mails are made of; nothing else may run or load. */
export function sendMail(ctx: Context, html: string): void {
  send(
    ctx,
    html,
    "default-src 'none'; style-src 'unsafe-inline'; sandbox allow-top-navigation-by-user-activation",
  )
}

function send(ctx: Context, html: string, policy: string): void {
  ctx.set(
    'Content-Security-Policy',
    `${policy}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  ctx.set('X-Frame-Options', 'DENY')
  ctx.status = 200
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = html
}

/** Text as HTML. */
export function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

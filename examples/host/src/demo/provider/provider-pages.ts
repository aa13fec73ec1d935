import { createHash } from 'node:crypto'
import type { LiveGrant, PlainAnswer } from '@svc/testkit/provider'
import { escape } from '../pages/dev-page.ts'
import type { AuthorizationRequest } from './authorization-request.ts'

const STYLE = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{margin:12vh auto 2rem;max-width:26rem;padding:0 1rem}h1{font-size:1.5rem}
button{font:inherit;min-height:2.75rem;padding:0 1rem;margin:.5rem .5rem 0 0;cursor:pointer}
code{overflow-wrap:anywhere}li{margin-block:1rem}`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Who asks is not known by name: a provider would have registered it. */
export function consentPage(id: string, request: AuthorizationRequest): PlainAnswer {
  const { host } = new URL(request.redirectUri)
  const body = `<p><strong>${escape(host)}</strong> wants to see the photos of the demo person. Nobody logs in here: this is a provider for development.</p>
<p>It asks for <code>${escape(request.scope)}</code>.</p>
<form method="post" action="/authorize"><input type="hidden" name="request" value="${escape(id)}">
<button name="answer" value="allow">Allow</button><button name="answer" value="refuse">Refuse</button></form>`
  return page('Demo photos', body)
}

export function grantsPage(grants: readonly LiveGrant[]): PlainAnswer {
  const items = grants.map(
    ({ id, since, scope }) => `<li>${escape(scope)}, since ${new Date(since).toISOString()}
<form method="post" action="/grants/${escape(id)}/revoke"><button>Revoke</button></form></li>`,
  )
  const body =
    items.length === 0
      ? '<p>Nobody has access to the photos.</p>'
      : `<p>Who has access to the photos:</p><ul>${items.join('')}</ul>`
  return page('Demo photos: access', body)
}

export function problemPage(problem: string): PlainAnswer {
  const body = `<p>This request cannot be answered: ${escape(problem)}.</p>`
  return { ...page('Demo photos', body), status: 400 }
}

function page(title: string, body: string): PlainAnswer {
  return {
    headers: {
      // No `form-action`: browsers hold it against every redirect that follows, and only the client knows where those lead.
      'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none'`,
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    },
    body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escape(title)}</h1>
${body}
</main></body></html>`,
  }
}

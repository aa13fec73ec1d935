import type { AuthUi } from '@svc/auth-ui'
import type { AuthorizePages } from '@svc/oauth-core'

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}

/** An address of an app of the device is a link, a script is none. */
function safe(href: string): string {
  return /^(?:javascript|data|vbscript):/i.test(href) ? '/' : href
}

/** A consent page of one's own; every other page stays the package's. */
export function ownPages(ui: AuthUi): AuthorizePages {
  return {
    ...ui.pages,
    async consent(ctx, view) {
      const { action, method, hidden, headers } = await ui.form(ctx, view)
      const { locale } = ctx['state'].instance
      const fields = Object.entries(hidden).map(
        ([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`,
      )
      const rules = view.permissions.flatMap((rule) =>
        ui.describeScope(rule.type === '*' ? '*' : `${rule.type}:${rule.verbs.join(',')}`, locale),
      )
      ctx.set(headers)
      ctx.body = `<!doctype html>
<html lang="${escape(locale)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Allow?</title></head>
<body><main>
<h1>Allow <bdi>${escape(view.client.metadata.client_name)}</bdi>?</h1>
<p>The answer goes to <code>${escape(view.redirectUri)}</code>.</p>
<ul>${rules.map(({ text }) => `<li>${escape(text)}</li>`).join('')}</ul>
<form method="${method}" action="${action}">${fields.join('')}
<button type="submit">Allow</button> <a href="${escape(safe(view.cancelUrl))}">Refuse</a></form>
</main></body></html>`
    },
  }
}

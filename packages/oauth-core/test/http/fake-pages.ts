import type { Context } from 'koa'
import { OAuthError } from '../../src/index.ts'
import type { HttpError, RequestView, RouteContext } from '@svc/platform'
import type {
  AssistantView,
  AuthorizePages,
  ConsentView,
  OwnerSession,
  OwnerSessions,
} from '../../src/ports.ts'

const CSRF = 'csrf-of-this-browser'

/** Owners' sessions and pages in plain HTML, where the user interface will be. */
export interface FakePages extends AuthorizePages {
  readonly sessions: OwnerSessions
  /** Ids of live sessions; a browser names its own with the cookie `session`. */
  readonly live: Set<string>
  /** What consent pages were asked to show. */
  readonly views: ConsentView[]
  /** The same of assistants. */
  readonly assistants: AssistantView[]
}

export function fakePages(): FakePages {
  const live = new Set<string>()
  const views: ConsentView[] = []
  const assistants: AssistantView[] = []

  async function current({ cookies }: RequestView): Promise<OwnerSession | undefined> {
    const id = cookies.get('session')
    return id !== undefined && live.has(id) ? { id, kind: 'normal', createdAt: 0 } : undefined
  }

  return {
    live,
    views,
    assistants,
    sessions: { current },

    async assistant(ctx, view) {
      assistants.push(view)
      form(ctx, view)
    },

    async consent(ctx, view) {
      views.push(view)
      form(ctx, view)
    },

    async certify(ctx, { token = '' }) {
      html(ctx, `<input name="token" value="${escape(token)}">`)
    },

    async login(ctx) {
      ctx.status = 302
      ctx.set('Location', `/auth/login?redirect=${encodeURIComponent(ctx.href)}`)
      ctx.body = ''
    },

    async limit(ctx, { count, limit }) {
      html(ctx, `<h1>Limit</h1><p>${count} of ${limit}</p>`)
    },

    async sharing(ctx, view) {
      ctx.append('Set-Cookie', `csrf=${CSRF}; Path=/; HttpOnly`)
      const inputs = Object.entries({ csrf_token: CSRF, ...view.fields }).map(
        ([name, value]) => `<input type="hidden" name="${name}" value="${escape(value)}">`,
      )
      html(
        ctx,
        `<h1>${escape(view.sharer.name)} of ${escape(view.sharer.domain)}</h1>
        <form method="post" action="/auth/authorize/sharing">${inputs.join('')}
        <button>Accept</button></form><a href="${escape(view.cancelUrl)}">Refuse</a>`,
      )
    },

    async deprecated(ctx, { name, storeUrl }) {
      html(ctx, `<h1>${escape(name)} is gone</h1><a href="${escape(storeUrl)}">Store</a>`)
    },

    async outOfBand(ctx, { code, state }) {
      html(ctx, '', `Success code=${code}&state=${state}`)
    },

    async error(ctx: Context, error: HttpError) {
      html(ctx, `<p>${escape(error.description ?? error.code)}</p>`)
    },

    checkCsrf(ctx) {
      // Rows with a CSRF rule run behind the router.
      const field = (ctx as RouteContext).state.form.get('csrf_token')
      if (field === undefined) {
        throw new OAuthError('invalid_request', {
          description: 'missing csrf token in the form parameter',
        })
      }
      if (
        ctx.get('Origin') !== '' &&
        ctx.get('Origin') !== (ctx as RouteContext).state.instance.origin
      ) {
        throw new OAuthError('cross_origin')
      }
      if (field !== ctx.cookies.get('csrf')) {
        throw new OAuthError('forbidden', { description: 'invalid csrf token' })
      }
    },
  }
}

function form(ctx: Context, view: AssistantView | ConsentView): void {
  ctx.append('Set-Cookie', `csrf=${CSRF}; Path=/; HttpOnly`)
  const fields = Object.entries({ csrf_token: CSRF, ...view.fields })
  const inputs = fields.map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escape(value)}">`,
  )
  const app = 'linkedApp' in view ? view.linkedApp : undefined
  const name = escape(app?.name ?? view.client.metadata.client_name)
  html(
    ctx,
    `<h1>Allow ${name}?</h1><form method="post" action="/auth/authorize">${inputs.join('')}
    <button>Allow</button></form><a href="${escape(view.cancelUrl)}">Refuse</a>`,
  )
}

function html(ctx: Context, body: string, title = 'page'): void {
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = `<!doctype html><title>${escape(title)}</title>${body}`
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}

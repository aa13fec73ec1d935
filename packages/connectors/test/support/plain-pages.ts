import type { AuthorizePages } from '@svc/oauth-core'

/** Pages that say only what a test looks at, with the headers of real ones. */
export const plainPages: AuthorizePages = {
  async consent(ctx, { fields }) {
    const inputs = Object.entries({ csrf_token: 'x', ...fields }).map(
      ([name, value]) =>
        `<input type="hidden" name="${name}" value="${value.replaceAll('"', '&quot;')}">`,
    )
    ctx.type = 'html'
    ctx.body = `<form method="post" action="/auth/authorize">${inputs.join('')}<button>Allow</button></form>`
  },
  login: () => Promise.reject(new Error('the owner is not logged in')),
  outOfBand: () => Promise.reject(new Error('not asked for')),
  sharing: () => Promise.reject(new Error('not asked for')),
  certify: () => Promise.reject(new Error('not asked for')),
  limit: () => Promise.reject(new Error('not asked for')),
  deprecated: () => Promise.reject(new Error('not asked for')),
  async error(ctx, error) {
    ctx.set('Cross-Origin-Opener-Policy', 'same-origin')
    ctx.set('Referrer-Policy', 'same-origin')
    ctx.type = 'html'
    ctx.body = `<title>${error.code}</title><p>${error.description ?? ''}</p><a href="/">Home</a>`
  },
  checkCsrf() {},
}

import type { Instance, Instances } from '@svc/platform'
import type { Context, Middleware, Next } from 'koa'
import type { DevPages } from '../../services.ts'
import { escape, sendPage } from './dev-page.ts'
import { isDirect } from './dev-pages.ts'

/** Names under which this machine answers and no other site can (DNS rebinding). */
const THIS_MACHINE = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i
const METADATA = '/.well-known/oauth-authorization-server'

/**
 * Helps under the names of this machine that no instance has, while the development pages exist: `/` lists the
 * instances for a browser, and the metadata address redirects to the only instance. Mounted before `resolveInstance`,
 * whose 404 it replaces.
 * @see operation.md 2.4
 */
export function listInstances(
  devPages: Pick<DevPages, 'areOn'>,
  instances: Pick<Instances, 'list'>,
): Middleware {
  return async function listInstances(ctx: Context, next: Next): Promise<void> {
    await next()
    const isUnknownHost = ctx.status === 404 && ctx.state['instance'] === undefined
    // The 404 of a browser is a page.
    const isAsked = ctx.path === METADATA || (ctx.path === '/' && ctx.type === 'text/html')
    if (!isUnknownHost || !isAsked || !THIS_MACHINE.test(ctx.get('Host'))) return
    if (!isDirect(ctx.req) || !(await devPages.areOn())) return
    const page = await instances.list()
    if (ctx.path === '/') {
      sendPage(ctx, 'Spaces on this server', bodyOf(page.instances, page.cursor !== undefined))
    } else if (page.instances[0] !== undefined && page.instances.length === 1) {
      ctx.status = 307
      ctx.set('Location', `${page.instances[0].origin}${METADATA}`)
      ctx.body = ''
    } else {
      return
    }
    delete ctx.state['failure']
  }
}

function bodyOf(instances: readonly Instance[], hasMore: boolean): string {
  if (instances.length === 0) {
    return '<p>There is no space yet. Create one:</p><pre>svc instance create alice.localhost:8080 --email alice@example.com</pre>'
  }
  const items = instances.map(({ domain, origin, publicName }) => {
    const name = publicName === undefined ? '' : `<br>${escape(publicName)}`
    return `<li><a href="${escape(origin)}/">${escape(domain)}</a>${name}</li>`
  })
  const more = hasMore ? '\n<p><code>svc instance list</code> shows all of them.</p>' : ''
  return `<p>Each space has an address of its own:</p>
<ul>
${items.join('\n')}
</ul>${more}
<p>This page exists in development only, and only for this computer.</p>`
}

import { appOrigin } from '../instances/app-host.ts'
import type { CorsRule, RouteContext } from './route.ts'

const ALLOW_HEADERS = 'Authorization, Content-Type, Accept, Idempotency-Key'
const MAX_AGE_S = '43200'

/**
 * Answers the cross-origin question of a row (D28): one place for the whole interface. `methods` are those of all
 * rows of the path with the same rule.
 */
export function setCorsHeaders(
  ctx: RouteContext,
  rule: CorsRule,
  methods: readonly string[],
): void {
  if (rule === 'none') return
  const origin = ctx.get('Origin')
  if (rule !== 'open') ctx.vary('Origin')
  if (origin === '') return
  if (rule !== 'open' && appOrigin(ctx.state.instance, origin) !== undefined) {
    ctx.set('Access-Control-Allow-Origin', origin)
    ctx.set('Access-Control-Allow-Credentials', 'true')
  } else if (rule === 'app-origins') {
    return
  } else {
    ctx.set('Access-Control-Allow-Origin', '*')
  }
  if (ctx.method !== 'OPTIONS') {
    // RFC 6750 clients on other origins read the challenge.
    ctx.set('Access-Control-Expose-Headers', 'WWW-Authenticate, Retry-After')
    return
  }
  ctx.set('Access-Control-Allow-Methods', methods.join(', '))
  ctx.set('Access-Control-Allow-Headers', ALLOW_HEADERS)
  ctx.set('Access-Control-Max-Age', MAX_AGE_S)
}

import { appOrigin } from '../instances/app-host.ts'
import type { RouteContext } from './request-state.ts'
import type { CorsRule } from './route.ts'

const ALLOW_HEADERS = 'Authorization, Content-Type, Accept, Idempotency-Key'
/** What clients on other origins act on beside the body: challenges (RFC 6750), waits, what was made, repeats. */
const EXPOSED_HEADERS = 'WWW-Authenticate, Retry-After, Location, Idempotency-Replayed'
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
    ctx.set('Access-Control-Expose-Headers', EXPOSED_HEADERS)
    return
  }
  ctx.set('Access-Control-Allow-Methods', methods.join(', '))
  ctx.set('Access-Control-Allow-Headers', ALLOW_HEADERS)
  ctx.set('Access-Control-Max-Age', MAX_AGE_S)
}

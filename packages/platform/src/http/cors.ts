import { appOrigin } from '../instances/app-host.ts'
import type { RouteContext } from './request-state.ts'
import type { CorsRule } from './route.ts'

const ALLOW_HEADERS = 'Authorization, Content-Type, Accept, Idempotency-Key'
/** What clients on other origins act on beside the body: challenges (RFC 6750), waits, what was made, repeats. */
const EXPOSED_HEADERS = 'WWW-Authenticate, Retry-After, Location, Idempotency-Replayed'
/** SPEC: assistants.md 1.8 - what clients of a resource send, and act on. */
const RESOURCE_ALLOW_HEADERS =
  'Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID'
const RESOURCE_EXPOSED_HEADERS = 'WWW-Authenticate, Retry-After'
const MAX_AGE_S = '43200'

/** By what answers differ beside what those of all endpoints differ by. */
export function variesBy(rule: CorsRule): 'Origin' | undefined {
  return rule === 'none' || isOpenTo(rule) ? undefined : 'Origin'
}

function isOpenTo(rule: CorsRule): boolean {
  return rule === 'open' || rule === 'resource'
}

/**
 * Answers the cross-origin question of a row (D28): one place for the whole interface. `methods` are those of all
 * rows of the path with the same rule. `Vary` is set with the other headers of endpoints.
 */
export function setCorsHeaders(
  ctx: RouteContext,
  rule: CorsRule,
  methods: readonly string[],
): void {
  if (rule === 'none') return
  const origin = ctx.get('Origin')
  const isOpen = isOpenTo(rule)
  if (origin === '') return
  if (!isOpen && appOrigin(ctx.state.instance, origin) !== undefined) {
    ctx.set('Access-Control-Allow-Origin', origin)
    ctx.set('Access-Control-Allow-Credentials', 'true')
  } else if (rule === 'app-origins') {
    return
  } else {
    ctx.set('Access-Control-Allow-Origin', '*')
  }
  if (ctx.method !== 'OPTIONS') {
    const exposed = rule === 'resource' ? RESOURCE_EXPOSED_HEADERS : EXPOSED_HEADERS
    ctx.set('Access-Control-Expose-Headers', exposed)
    return
  }
  ctx.set('Access-Control-Allow-Methods', methods.join(', '))
  const allowed = rule === 'resource' ? RESOURCE_ALLOW_HEADERS : ALLOW_HEADERS
  ctx.set('Access-Control-Allow-Headers', allowed)
  ctx.set('Access-Control-Max-Age', MAX_AGE_S)
}

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
  return rule === 'app-origins' || rule === 'app-origins-or-any' ? 'Origin' : undefined
}

/** Whether every answer may be read by any origin. */
export function isOpenTo(rule: CorsRule): boolean {
  return rule === 'open' || rule === 'resource'
}

/** Whether other origins may ask beforehand what they may send. */
export function takesPreflight(rule: CorsRule): boolean {
  return rule !== 'none' && rule !== 'public-clients'
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
  if (!takesPreflight(rule)) return
  const origin = ctx.get('Origin')
  const isOpen = isOpenTo(rule)
  // What does not differ by the origin may be kept, and is then read by pages that have one.
  if (origin === '' && !isOpen) return
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

/**
 * Lets pages of any origin read the answer to a client that showed no secret (D94). The form says so, once it is read;
 * a body that could not be read showed none.
 */
export function allowPublicClients(ctx: RouteContext): void {
  if (ctx.get('Authorization') !== '' || ctx.state.form.text('client_secret') !== '') return
  ctx.set('Access-Control-Allow-Origin', '*')
  ctx.set('Access-Control-Expose-Headers', RESOURCE_EXPOSED_HEADERS)
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Instance, RequestLike, Requests } from '@svc/platform'
import type { Context } from 'koa'
import type { AccessContext } from './access-context.ts'
import {
  createGuard,
  FIRST_REFUSAL,
  type Guard,
  type GuardOptions,
  type GuardRule,
} from './guard.ts'

/** A request that may go on. */
export interface Authenticated {
  readonly ok: true
  readonly instance: Instance
  readonly access: AccessContext
}

/** A request that was refused, with the answer that the guard for Koa gives. */
export interface Refused {
  readonly ok: false
  readonly status: number
  /** Stable, for programs. */
  readonly code: string
  readonly headers: Readonly<Record<string, string>>
  /** What programs get. */
  readonly body: { readonly error: string; readonly code?: string }
  /** What is sent in place of it, to a browser that opened the address without a token (D79). */
  readonly page?: string
}

/** A middleware of Connect and Express, and of whoever has the two objects of Node. */
export type NodeGuard = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void

export interface RequestGuards {
  authenticateRequest(request: RequestLike, rule?: GuardRule): Promise<Authenticated | Refused>
  nodeGuard(rule: GuardRule): NodeGuard
}

/** The guard for requests that have no Koa context. */
export function createRequestGuards(
  options: GuardOptions & { readonly requests: Requests },
): RequestGuards {
  const { requests } = options

  async function ask(request: RequestLike, guard: Guard): Promise<Authenticated | Refused> {
    const { ctx, isAdmitted } = await requests.admit(request)
    const access = isAdmitted ? await guard.check(ctx) : undefined
    if (access === undefined) return refusedOf(ctx)
    return { ok: true, instance: ctx.state['instance'] as Instance, access } // Admitted.
  }

  return {
    async authenticateRequest(request, rule) {
      const guard = createGuard(rule, options)
      const answer = await ask(request, guard)
      // What becomes of it is not known here: it counts as done.
      if (answer.ok) guard.noteUse(answer.instance, answer.access)
      return answer
    },

    nodeGuard(rule) {
      const guard = createGuard(rule, options)

      async function decide(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
        const answer = await ask(request, guard)
        if (!answer.ok) {
          sendRefusal(response, answer)
          return false
        }
        const { instance, access } = answer
        requests.grant(request, instance, access)
        response.once('finish', () => {
          if (response.statusCode < FIRST_REFUSAL) guard.noteUse(instance, access)
        })
        return true
      }

      return function requireBearer(request, response, next) {
        // Nothing is thrown for what a client did; what else goes wrong is for the framework to answer.
        void decide(request, response).then((isAllowed) => {
          if (isAllowed) next()
        }, next)
      }
    },
  }
}

/** The refusal as an answer of the web. */
export function refusalResponse(refused: Refused): Response {
  const { status, headers } = refused
  return new Response(textOf(refused), { status, headers })
}

/** Sends the refusal. */
export function sendRefusal(response: ServerResponse, refused: Refused): void {
  response.statusCode = refused.status
  for (const [name, value] of Object.entries(refused.headers)) response.setHeader(name, value)
  response.end(textOf(refused))
}

function textOf({ body, page }: Refused): string {
  return page ?? JSON.stringify(body)
}

/** What a context was given to answer. */
function refusedOf(ctx: Context): Refused {
  const { res, status } = ctx
  const text = String(ctx.body)
  const isPage = ctx.response.is('html') !== false
  const code = String(ctx.state['failure'])
  // Not in the types of Node; names as they were written.
  const names = (res as unknown as { getRawHeaderNames(): string[] }).getRawHeaderNames()
  const headers = Object.fromEntries(names.map((name) => [name, String(res.getHeader(name))]))
  // Ours, and JSON where it is no page.
  const body = isPage ? { error: code } : (JSON.parse(text) as Refused['body'])
  return { ok: false, status, code, headers, body, ...(isPage && { page: text }) }
}

import type { Resource } from '@svc/oauth-core'
import { createEmitter, type RouteRow } from '@svc/platform'
import { describeError } from '@svc/store'
import type { Middleware } from 'koa'
import { Counters } from './calls/counters.ts'
import type { CallEvent } from './calls/call-events.ts'
import { type CallServices, runCall } from './calls/run-call.ts'
import { Turns } from './calls/turns.ts'
import { dataTools } from './data/data-tools.ts'
import type { McpLog } from './log/log-events.ts'
import { MCP_OPTIONS, type McpOptions } from './options.ts'
import { loadProtocol, type Protocol } from './protocol/library.ts'
import { mcpRoutes } from './routes.ts'
import type { ToolOptions } from './tools/tool.ts'
import { Tools } from './tools/tools.ts'

/** Tools for assistants, at an address of each instance. */
export interface Mcp {
  /** What clients ask tokens for. */
  readonly resource: Resource
  /**
   * Declares a tool, before requests come.
   * @throws TypeError for one without `needs`, one that is to read only and needs more than GET, and a name that is taken
   */
  tool<Arguments extends object = Readonly<Record<string, unknown>>>(
    tool: ToolOptions<Arguments>,
  ): void
  /** The endpoint. */
  routes(): Middleware
  /** The row of {@link Mcp.routes}, for documents and tests. */
  readonly rows: readonly RouteRow[]
  /**
   * Calls the handler after each call of a tool in this process. A handler that throws is logged and stops nothing.
   * @returns what ends that
   */
  onCall(handler: (call: CallEvent) => void): () => void
}

/**
 * Registers a resource for assistants, with its metadata, guard, challenges, limits and entries. From then on clients
 * that know nothing but its address can ask the owner.
 * @throws TypeError listing every fault of the options with its path, or for a path that is taken
 * @example
 * const mcp = createMcp({ oauth, data })
 * app.use(mcp.routes())
 */
export function createMcp(given: McpOptions): Mcp {
  const options = MCP_OPTIONS.settle(given)
  const { oauth, data, path, name, kinds, writes, isOpen, documentation, clock } = options
  const log: McpLog = options.log
  const resource = oauth.resources.add({
    path,
    name,
    scopes: kinds.map((kind) => `${kind}:GET`),
    isOpen,
    isReadOnly: data !== undefined && !writes,
    ...(documentation !== undefined && { documentation }),
  })
  const tools = new Tools()
  if (data !== undefined) {
    for (const tool of dataTools({ data, kinds, writes, clock })) tools.add(tool)
  }
  const counters = new Counters({ store: oauth.store, clock, limits: options.limits })
  const emitter = createEmitter<{ call: CallEvent }>(log)
  const calls: CallServices = {
    oauth,
    resource,
    counters,
    turns: new Turns(),
    onCall: (call) => emitter.emit('call', call),
  }

  let protocol: Promise<Protocol> | undefined
  const load = (): Promise<Protocol> =>
    loadProtocol({ tools, run: (call) => runCall(calls, call) }, (error) => {
      if (isOfRequest(error)) return
      log.warn('mcp.protocol_failed', { cause: describeError(error) })
    })

  const rows = mcpRoutes(path, {
    guard: oauth.resourceGuard(resource),
    counters,
    clientAddress: (ctx) => oauth.clientAddress(ctx),
    origins: options.origins,
    protocol() {
      protocol ??= load()
      return protocol
    },
  })

  return {
    resource,
    tool: (tool) => tools.add(tool),
    routes: () =>
      oauth.mount(
        // SPEC: assistants.md 1.2 - a slash behind it is how many clients write the address.
        rows.flatMap((row) => [row, { ...row, path: `${row.path}/` }]),
        { demandsActivity: true },
      ),
    rows,
    onCall: (handler) => emitter.on('call', handler),
  }
}

/** What the library reports of requests that it refuses: anybody can cause it, and it repeats them. */
function isOfRequest({ message }: Error): boolean {
  return message.startsWith('Rejected') || message.startsWith('Unsupported')
}

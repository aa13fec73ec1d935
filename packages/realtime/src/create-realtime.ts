import type { Server } from 'node:http'
import { bindRoutes, type Instance, type RouteRow } from '@svc/platform'
import type { Middleware } from 'koa'
import { WebSocketServer } from 'ws'
import { describeError } from '@svc/store'
import { Admissions } from './handshake/admission.ts'
import { Attachments } from './handshake/attach.ts'
import type { AttachOptions } from './handshake/attach-options.ts'
import { BusBridge } from './events/bus-bridge.ts'
import { Connection } from './connection/connection.ts'
import { Connections } from './connection/connections.ts'
import { createTypeRules } from './events/doctype.ts'
import { checkEvent, type EventVerb, type RealtimeEvent } from './events/event.ts'
import { FailedAuths } from './handshake/failed-auths.ts'
import { Handshake } from './handshake/handshake.ts'
import { Hub } from './events/hub.ts'
import { LocalEvents, type LocalEvent } from './events/local-events.ts'
import { REALTIME_OPTIONS, type RealtimeOptions } from './options.ts'
import { realtimeRoutes } from './routes.ts'
import { CLOSE } from './connection/socket-errors.ts'

/** What there is in this process now. */
export interface RealtimeStats {
  readonly connections: number
  readonly subscriptions: number
  /** Types of instances that somebody listens to. */
  readonly topics: number
  /** Channels of the bus that are listened to; each stays for a while after its last subscriber. */
  readonly channels: number
  /** Instances and addresses whose connections are counted. */
  readonly tracked: number
}

/** The websocket of a server. */
export interface Realtime {
  /**
   * Tells subscribers of the instance, in all processes. Never rejects and never waits for a subscriber: resolves
   * when those of this process were told and the bus has it, or after a second. A malformed event is logged and
   * told to nobody.
   */
  publish(instance: Pick<Instance, 'id'>, verb: EventVerb, event: RealtimeEvent): Promise<void>
  /**
   * Whether only the server tells of documents of a type, such as confirmations and clients: what callers send of it is
   * to be refused, not kept and published.
   */
  isServerType(type: string): boolean
  /**
   * Takes the handshakes of a server over; upgrades that are not to `/realtime/` of an instance go to `next`, or are left
   * to its other listeners.
   */
  attach(server: Server, options?: AttachOptions): void
  /** `POST /realtime/:doctype/:id`, and the answer to requests that are no handshake. */
  routes(): Middleware
  /** The rows of {@link Realtime.routes}, for documents and tests. */
  readonly rows: readonly RouteRow[]
  /**
   * Calls the handler with what is published in this process. A handler that throws is logged and stops nothing.
   * @returns what ends that
   */
  onLocalEvent(handler: (event: LocalEvent) => void): () => void
  stats(): RealtimeStats
  /**
   * Closes every connection with 1001, each at a moment of its own within `lifetimes.shutdown`. Handshakes are answered
   * 503 from then on. Idempotent.
   */
  close(): Promise<void>
}

/** What the longest id takes as a member of a document, every character escaped. */
const ID_BYTES = 2048
/** How long clients may take to answer the close frame of a server that ends. Milliseconds. */
const LAST_CLOSE_MS = 1000

/**
 * Assembles the package.
 * @throws TypeError listing every fault of the options with its path
 * @example
 * const realtime = createRealtime({ oauth })
 * app.use(realtime.routes())
 * realtime.attach(server)
 * await realtime.publish(instance, 'CREATED', { type: 'io.svc.files', id: 'one' })
 */
export function createRealtime(given: RealtimeOptions): Realtime {
  const options = REALTIME_OPTIONS.settle(given)
  const { oauth, bus, clock, log, limits, lifetimes, subprotocols } = options
  const rules = createTypeRules({ ...options, namespace: oauth.namespace })
  const hub = new Hub({ maxSubscriptions: limits.subscriptions })
  const bridge = new BusBridge({
    bus,
    clock,
    log,
    lifetimes,
    channels: options.channels,
    onEvent: (instanceId, event) => hub.deliver(instanceId, event),
  })
  const admissions = new Admissions(limits)
  const failedAuths = new FailedAuths({
    store: oauth.store,
    clock,
    log,
    limit: limits.failedAuths,
    windowMs: lifetimes.failedAuths,
  })
  const connections = new Connections(oauth)
  const localEvents = new LocalEvents(log)
  let closing: Promise<void> | undefined

  // How long a client may take to answer a close frame; not in the library's types.
  const closeTimeout: object = { closeTimeout: lifetimes.write }
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    ...closeTimeout,
    handleProtocols: (offered) => [...offered].find((name) => subprotocols.includes(name)) ?? false,
    maxFragments: limits.fragments,
    maxPayload: limits.messageBytes,
    perMessageDeflate: false,
  })
  const attachments = new Attachments(
    new Handshake({
      oauth,
      log,
      server,
      admissions,
      failedAuths,
      allowedOrigins: options.allowedOrigins,
      isClosing: () => closing !== undefined,
      open(socket, peer) {
        const parts = { hub, bridge, rules, limits, lifetimes, clock, log }
        const connection = new Connection({ socket, peer, ...parts })
        connections.add(peer.instanceId, connection)
        socket.once('close', () => connections.delete(peer.instanceId, connection))
        // Its handshake had begun before the end did.
        if (closing !== undefined) connection.close(CLOSE.serverShutdown)
      },
    }),
    oauth,
  )

  async function emit(
    { id: instanceId }: Pick<Instance, 'id'>,
    verb: EventVerb,
    event: RealtimeEvent,
    documentBytes = limits.documentBytes,
  ): Promise<void> {
    try {
      const checked = checkEvent(verb, event, documentBytes)
      hub.deliver(instanceId, checked)
      localEvents.emit({ instanceId, ...checked })
      await bridge.publish(instanceId, checked)
    } catch (cause) {
      log.error('realtime.event_dropped', { cause: describeError(cause) })
    }
  }

  async function closeAll(): Promise<void> {
    await connections.close(lifetimes.shutdown, LAST_CLOSE_MS)
    await bridge.close()
  }

  const { documentBytes } = limits
  const rows = bindRoutes(realtimeRoutes(documentBytes), {
    oauth,
    rules,
    // A body of just the allowed size is sent with the id it gets beside.
    notify: (instance, event) => emit(instance, 'NOTIFIED', event, documentBytes + ID_BYTES),
  })
  // Mounted now, so that handshakes on an alias are known not to be pages.
  const routes = oauth.mount(rows, { demandsActivity: true })

  return {
    publish: (instance, verb, event) => emit(instance, verb, event),
    isServerType: (type) => rules.server.has(type),
    attach: (httpServer, how = {}) => attachments.attach(httpServer, how),
    routes: () => routes,
    rows,
    onLocalEvent: (handler) => localEvents.on(handler),
    stats: () => ({
      connections: connections.size,
      ...hub.stats(),
      channels: bridge.channels,
      tracked: admissions.tracked,
    }),
    close() {
      closing ??= closeAll()
      return closing
    },
  }
}

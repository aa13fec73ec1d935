import type { ConnectorsFigures } from '@svc/connectors'
import type { Mcp } from '@svc/mcp'
import type { OAuth } from '@svc/oauth-core'
import type { ConnectionLimits, LoadFigures } from '@svc/platform'
import type { Counter, Histogram, Registry } from 'prom-client'
import type { RealtimeStats } from '@svc/realtime'
import { registerCallFigures } from './call-figures.ts'
import {
  registerConnectionFigures,
  registerDocumentFigures,
  registerNotificationFigures,
  registerProviderFigures,
} from './figures.ts'
import { type HostFigureSources, registerHostFigures } from './host-figures.ts'
import { bucketsOf, instrument } from './metric-table.ts'
import { type RefreshFigures, registerRefreshFigures } from './refresh-figures.ts'
import type { StoreFigures } from './store-figures.ts'
import type { AnsweredRequest } from '../http/request-log.ts'

/** Numbers for a monitoring system. They are kept from the first time somebody asks for them. */
export interface Metrics {
  observe(request: AnsweredRequest): void
  /** Shows the connections of a listener, together with those of the others. */
  watch(listener: ConnectionLimits): void
  /** The text form, and its content type. */
  render(): Promise<{ readonly type: string; readonly text: string }>
}

interface Instruments {
  readonly registry: Registry
  readonly latency: Histogram
  readonly limited: Counter
  readonly unavailable: Counter
}

/** Asked when somebody looks. */
export interface FigureSources extends HostFigureSources {
  readonly storeFigures: StoreFigures
  readonly sockets: () => RealtimeStats
  readonly providers: () => ConnectorsFigures
  readonly load: () => LoadFigures
  /** Tells of documents of clients that were fetched. */
  readonly oauth: Pick<OAuth, 'on'>
  readonly refreshes: () => RefreshFigures
  /** Tells of calls of assistants. Absent: there are none. */
  readonly onCall?: Mcp['onCall']
}

export function createMetrics(sources: FigureSources): Metrics {
  let loading: Promise<Instruments> | undefined
  let instruments: Instruments | undefined
  const listeners: ConnectionLimits[] = []

  return {
    observe({ method, route, status, seconds }) {
      if (instruments === undefined) return
      instruments.latency.observe({ method, route, status: String(status) }, seconds)
      if (status === 429) instruments.limited.inc({ route })
      if (status === 503) instruments.unavailable.inc({ route })
    },
    watch: (listener) => void listeners.push(listener),
    async render() {
      // A server that nobody watches does not pay for it.
      loading ??= createInstruments(sources, listeners)
      instruments = await loading
      const { registry } = instruments
      return { type: registry.contentType, text: await registry.metrics() }
    },
  }
}

async function createInstruments(
  sources: FigureSources,
  listeners: readonly ConnectionLimits[],
): Promise<Instruments> {
  const { sockets, notifications, providers, load, refreshes, storeFigures } = sources
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client')
  const registry = new Registry()
  // Event loop delay, memory, garbage collection.
  collectDefaultMetrics({ register: registry })
  for (const name of ['connections', 'subscriptions'] as const) {
    new Gauge({
      ...instrument(`svc_websocket_${name}`),
      registers: [registry],
      collect() {
        this.set(sockets()[name])
      },
    })
  }
  registerConnectionFigures({ Counter, Gauge }, registry, listeners)
  new Gauge({
    ...instrument('svc_http_in_flight'),
    registers: [registry],
    collect() {
      this.set(load().requests)
    },
  })
  registerNotificationFigures(Counter, registry, notifications)
  registerProviderFigures(Counter, registry, providers)
  registerRefreshFigures(Counter, registry, refreshes)
  const classes = { Counter, Gauge, Histogram }
  registerDocumentFigures(classes, registry, sources.oauth)
  registerCallFigures(classes, registry, sources.onCall)
  storeFigures.register(classes, registry)
  registerHostFigures(classes, registry, sources)
  return {
    registry,
    latency: new Histogram({
      ...instrument<'method' | 'route' | 'status'>('svc_http_request_seconds'),
      buckets: bucketsOf('svc_http_request_seconds'),
      registers: [registry],
    }),
    limited: new Counter({
      ...instrument<'route'>('svc_http_limited_total'),
      registers: [registry],
    }),
    unavailable: new Counter({
      ...instrument<'route'>('svc_http_unavailable_total'),
      registers: [registry],
    }),
  }
}

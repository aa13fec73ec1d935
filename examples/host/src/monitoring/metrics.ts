import type { ConnectorsFigures } from '@svc/connectors'
import type { NotifyFigures } from '@svc/notify'
import type { ConnectionLimits, LoadFigures } from '@svc/platform'
import type { Counter, Histogram, Registry } from 'prom-client'
import type { RealtimeStats } from '@svc/realtime'
import {
  registerConnectionFigures,
  registerNotificationFigures,
  registerProviderFigures,
} from './figures.ts'
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
export interface FigureSources {
  readonly sockets: () => RealtimeStats
  readonly notifications: () => NotifyFigures
  readonly providers: () => ConnectorsFigures
  readonly load: () => LoadFigures
  readonly isSpaceLow: () => boolean
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
  { sockets, notifications, providers, load, isSpaceLow }: FigureSources,
  listeners: readonly ConnectionLimits[],
): Promise<Instruments> {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client')
  const registry = new Registry()
  // Event loop delay, memory, garbage collection.
  collectDefaultMetrics({ register: registry })
  for (const name of ['connections', 'subscriptions'] as const) {
    new Gauge({
      name: `svc_websocket_${name}`,
      help: `Open websocket ${name}`,
      registers: [registry],
      collect() {
        this.set(sockets()[name])
      },
    })
  }
  registerConnectionFigures({ Counter, Gauge }, registry, listeners)
  new Gauge({
    name: 'svc_http_in_flight',
    help: 'Requests that are being handled',
    registers: [registry],
    collect() {
      this.set(load().requests)
    },
  })
  new Gauge({
    name: 'svc_low_space',
    help: '1 while the file system of the embedded store has little room, and nothing new is stored',
    registers: [registry],
    collect() {
      this.set(isSpaceLow() ? 1 : 0)
    },
  })
  registerNotificationFigures(Counter, registry, notifications)
  registerProviderFigures(Counter, registry, providers)
  return {
    registry,
    latency: new Histogram({
      name: 'svc_http_request_seconds',
      help: 'Time to answer requests',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: [registry],
    }),
    limited: new Counter({
      name: 'svc_http_limited_total',
      help: 'Requests refused by a limit',
      labelNames: ['route'],
      registers: [registry],
    }),
    unavailable: new Counter({
      name: 'svc_http_unavailable_total',
      help: 'Requests answered 503: store or hash queue not available, or too many requests at once',
      labelNames: ['route'],
      registers: [registry],
    }),
  }
}

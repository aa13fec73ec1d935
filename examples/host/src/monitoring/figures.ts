import type { ConnectorsFigures } from '@svc/connectors'
import type { NotifyFigures } from '@svc/notify'
import type { ConnectionFigures, ConnectionLimits } from '@svc/platform'
import type { OAuth } from '@svc/oauth-core'
import type { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { bucketsOf, instrument } from './metric-table.ts'

/** Shows the connections of all listeners together, and why connections were refused. @see operation.md 1, rule 20 */
export function registerConnectionFigures(
  classes: { readonly Counter: typeof Counter; readonly Gauge: typeof Gauge },
  registry: Registry,
  listeners: readonly ConnectionLimits[],
): void {
  const figures = (): ConnectionFigures[] => listeners.map((listener) => listener.figures())
  new classes.Gauge({
    ...instrument<'state'>('svc_connections'),
    registers: [registry],
    collect() {
      this.reset()
      for (const { open } of figures()) {
        for (const [state, count] of Object.entries(open)) this.inc({ state }, count)
      }
    },
  })
  new classes.Counter({
    ...instrument<'reason'>('svc_connections_refused_total'),
    registers: [registry],
    collect() {
      this.reset()
      for (const { refused } of figures()) {
        for (const [reason, count] of Object.entries(refused)) this.inc({ reason }, count)
      }
    },
  })
}

/**
 * Shows what becomes of notifications. Every process counts what it did itself: over all of them, accepted less finished
 * is the queue, those for later included.
 */
export function registerNotificationFigures(
  CounterClass: typeof Counter,
  registry: Registry,
  figures: () => NotifyFigures,
): void {
  new CounterClass({
    ...instrument('svc_notifications_accepted_total'),
    registers: [registry],
    collect() {
      this.reset()
      this.inc(figures().accepted)
    },
  })
  new CounterClass({
    ...instrument<'status'>('svc_notifications_finished_total'),
    registers: [registry],
    collect() {
      this.reset()
      for (const [status, count] of Object.entries(figures().finished)) this.inc({ status }, count)
    },
  })
  new CounterClass({
    ...instrument<'channel' | 'class'>('svc_notification_attempts_total'),
    registers: [registry],
    collect() {
      this.reset()
      for (const [channel, classes] of Object.entries(figures().attempts)) {
        for (const [outcome, count] of Object.entries(classes)) {
          this.inc({ channel, class: outcome }, count)
        }
      }
    },
  })
}

/** Shows how calls to providers ended; every process counts its own. @see connectors.md 13 */
export function registerProviderFigures(
  CounterClass: typeof Counter,
  registry: Registry,
  figures: () => ConnectorsFigures,
): void {
  new CounterClass({
    ...instrument<'type' | 'class'>('svc_provider_calls_total'),
    registers: [registry],
    collect() {
      this.reset()
      for (const [type, classes] of Object.entries(figures().calls)) {
        for (const [outcome, count] of Object.entries(classes)) {
          this.inc({ type, class: outcome }, count)
        }
      }
    },
  })
}

/** Counts fetches of documents that describe clients, and how long they take. @see assistants.md 7.3 */
export function registerDocumentFigures(
  classes: { readonly Counter: typeof Counter; readonly Histogram: typeof Histogram },
  registry: Registry,
  oauth: Pick<OAuth, 'on'>,
): void {
  const registers = [registry]
  const fetches = new classes.Counter({
    ...instrument<'outcome'>('svc_cimd_fetches_total'),
    registers,
  })
  const seconds = new classes.Histogram({
    ...instrument('svc_cimd_fetch_seconds'),
    buckets: bucketsOf('svc_cimd_fetch_seconds'),
    registers,
  })
  oauth.on('document.fetched', ({ outcome, ms }) => {
    fetches.inc({ outcome })
    seconds.observe(ms / 1000)
  })
}

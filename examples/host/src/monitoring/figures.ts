import type { ConnectorsFigures } from '@svc/connectors'
import type { NotifyFigures } from '@svc/notify'
import type { ConnectionFigures, ConnectionLimits } from '@svc/platform'
import type { Counter, Gauge, Registry } from 'prom-client'

/** Shows the connections of all listeners together, and why connections were refused. @see operation.md 1, rule 20 */
export function registerConnectionFigures(
  classes: { readonly Counter: typeof Counter; readonly Gauge: typeof Gauge },
  registry: Registry,
  listeners: readonly ConnectionLimits[],
): void {
  const figures = (): ConnectionFigures[] => listeners.map((listener) => listener.figures())
  new classes.Gauge({
    name: 'svc_connections',
    help: 'Open connections: active while a request is answered, upgraded as websockets, else idle',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { open } of figures()) {
        for (const [state, count] of Object.entries(open)) this.inc({ state }, count)
      }
    },
  })
  new classes.Counter({
    name: 'svc_connections_refused_total',
    help: 'Connections that were refused or cut, by reason',
    labelNames: ['reason'],
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
    name: 'svc_notifications_accepted_total',
    help: 'Notifications accepted by this process',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(figures().accepted)
    },
  })
  new CounterClass({
    name: 'svc_notifications_finished_total',
    help: 'Notifications that this process finished, by how; accepted less finished is the queue',
    labelNames: ['status'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [status, count] of Object.entries(figures().finished)) this.inc({ status }, count)
    },
  })
  new CounterClass({
    name: 'svc_notification_attempts_total',
    help: 'Tries of channels: sent, or failed as permanent, transient or config',
    labelNames: ['channel', 'class'],
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
    name: 'svc_provider_calls_total',
    help: 'Calls to providers, by account type and how they ended',
    labelNames: ['type', 'class'],
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

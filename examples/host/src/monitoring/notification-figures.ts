import type { NotifyFigures } from '@svc/notify'
import type { Counter, Registry } from 'prom-client'

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

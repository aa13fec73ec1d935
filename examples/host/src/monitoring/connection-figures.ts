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

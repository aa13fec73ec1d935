import type { ConnectorsFigures } from '@svc/connectors'
import type { Counter, Registry } from 'prom-client'

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

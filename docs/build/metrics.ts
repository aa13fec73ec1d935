import { METRICS, type MetricRow } from '../../examples/host/src/monitoring/metric-table.ts'
import { type Document, GENERATED, table } from './document.ts'

/** `docs/reference/metrics.md` from the host's table of metrics. */
export function metricsPage(): Document {
  const rows = Object.entries<MetricRow>(METRICS).map(([name, { type, labels = [], help }]) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    help,
  ])
  const parts = [
    '# Metrics of the example host',
    GENERATED,
    INTRODUCTION,
    table(['Name', 'Type', 'Labels', 'What it is'], rows),
  ]
  return { file: 'docs/reference/metrics.md', content: parts.join('\n\n') }
}

const INTRODUCTION = `\`GET /metrics\` of the internal listener (\`SVC_INTERNAL_PORT\`) and of the admin listener shows these in the text form of
Prometheus. Every process counts for itself, from the first time that it was asked. No label holds a domain, an
instance, a client, an address or a path; \`route\` is the pattern of a route. Names stay as they are once they were
released. Beside them are the figures that prom-client collects of Node and the process: \`process_*\` and \`nodejs_*\`,
among them the delay of the event loop.`

import type { Mcp } from '@svc/mcp'
import type { Counter, Histogram, Registry } from 'prom-client'
import { bucketsOf, instrument } from './metric-table.ts'

/** Counts what assistants call, and how long it takes. @see assistants.md 7.3 */
export function registerCallFigures(
  classes: { readonly Counter: typeof Counter; readonly Histogram: typeof Histogram },
  registry: Registry,
  onCall: Mcp['onCall'] | undefined,
): void {
  const registers = [registry]
  const calls = new classes.Counter({
    ...instrument<'outcome' | 'tool'>('svc_mcp_calls_total'),
    registers,
  })
  const time = new classes.Histogram({
    ...instrument('svc_mcp_call_seconds'),
    buckets: bucketsOf('svc_mcp_call_seconds'),
    registers,
  })
  const documents = new classes.Counter({
    ...instrument<'verb'>('svc_mcp_documents_total'),
    registers,
  })
  onCall?.(({ tool, outcome, seconds, documents: count, isWrite }) => {
    calls.inc({ tool, outcome })
    time.observe(seconds)
    documents.inc({ verb: isWrite ? 'write' : 'read' }, count)
  })
}

import type { Verdict } from '../model/check.ts'
import type { Report } from '../run/options.ts'
import { isFailure } from './counts.ts'

/** TAP 14. */
export function tapReport({ verdicts }: Report): string {
  const lines = verdicts.map((verdict, at) => {
    const result = isFailure(verdict) || verdict.outcome === 'error' ? 'not ok' : 'ok'
    return `${result} ${at + 1} - ${escaped(`${verdict.id} ${verdict.title}`)}${directive(verdict)}`
  })
  return `TAP version 14\n1..${verdicts.length}\n${lines.join('\n')}\n`
}

function directive({ outcome, reason = '', expected }: Verdict): string {
  if (outcome === 'skipped') return ` # SKIP ${oneLine(reason)}`
  if (expected !== undefined) return ` # TODO ${oneLine(expected)}`
  if (outcome === 'passed') return ''
  return `\n  ---\n  outcome: ${outcome}\n  reason: ${JSON.stringify(reason)}\n  ...`
}

function escaped(text: string): string {
  return oneLine(text).replaceAll('\\', '\\\\').replaceAll('#', '\\#')
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ')
}

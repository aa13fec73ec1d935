import type { Report } from '../run/options.ts'
import { countsOf } from './counts.ts'

/** What is said at the end of a run. */
export function textReport(report: Report): string {
  const told = report.verdicts
    .filter(({ outcome }) => !['passed', 'skipped'].includes(outcome))
    .map(
      ({ id, outcome, title, reason = '', remedy, expected }) =>
        `${id} ${outcome}${expected === undefined ? '' : ' (expected)'}: ${title}\n  ${reason}\n  ${remedy}`,
    )
  const stopped = Object.entries(report.recording.stopped).map(
    ([name, reason]) => `Scenario ${name} stopped: ${reason}`,
  )
  const remaining = report.remaining.map(
    ({ made, reason }) => `Not removed: ${made.kind} "${made.name}": ${reason}`,
  )
  const counts = Object.entries(countsOf(report.verdicts))
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
  const summary = `${report.target}, profile ${report.profile} ${report.catalogue}: ${counts.join(', ')}, in ${(report.ms / 1000).toFixed(1)} s`
  return [...told, ...stopped, ...remaining, summary].join('\n')
}

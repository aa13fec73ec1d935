import type { Verdict } from '../model/check.ts'
import type { Report } from '../run/options.ts'
import { isFailure } from './counts.ts'
import { escapeMarkup } from './escape.ts'

/** JUnit XML: a suite for each group. */
export function junitReport(report: Report): string {
  const groups = Map.groupBy(report.verdicts, ({ group }) => group)
  const suites = [...groups].map(([name, verdicts]) => {
    const failures = verdicts.filter(isFailure).length
    const skipped = verdicts.filter(({ outcome }) => outcome === 'skipped').length
    const cases = verdicts.map(caseOf).join('')
    return `<testsuite name="${name}" tests="${verdicts.length}" failures="${failures}" skipped="${skipped}">${cases}</testsuite>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="contract ${escapeMarkup(report.profile)}" time="${report.ms / 1000}">${suites.join('')}</testsuites>\n`
}

function caseOf(verdict: Verdict): string {
  const { id, title, group, reason = '', outcome } = verdict
  const told = escapeMarkup(reason)
  const body =
    outcome === 'skipped'
      ? `<skipped message="${told}"/>`
      : isFailure(verdict)
        ? `<failure message="${told}">${escapeMarkup(`${verdict.rules.join('; ')}\n${verdict.remedy}`)}</failure>`
        : outcome === 'error'
          ? `<error message="${told}"/>`
          : outcome === 'passed'
            ? ''
            : `<system-out>${escapeMarkup(`${outcome}: ${reason}`)}</system-out>`
  return `<testcase classname="${group}" name="${escapeMarkup(`${id} ${title}`)}">${body}</testcase>`
}

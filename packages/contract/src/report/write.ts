import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import type { Report } from '../run/options.ts'
import { badgeJson, badgeSvg } from './badge.ts'
import { htmlReport } from './html.ts'
import { jsonReport } from './json.ts'
import { junitReport } from './junit.ts'
import { tapReport } from './tap.ts'

const FORMATS: Readonly<Record<string, (report: Report) => Iterable<string>>> = {
  json: jsonReport,
  junit: (report) => [junitReport(report)],
  tap: (report) => [tapReport(report)],
  html: (report) => [htmlReport(report)],
}

/**
 * A report of a run and where it goes, as `format=file` says it. `file` is a path.
 * @see docs/contract/README.md of the repository
 * @example
 * const target: ReportTarget = { format: 'junit', file: 'contract.xml' }
 */
export interface ReportTarget {
  readonly format: string
  readonly file: string
}

/** Reads `format=file`. @throws Error for what is none */
export function reportTarget(text: string): ReportTarget {
  const [format = '', ...rest] = text.split('=')
  const file = rest.join('=')
  if (FORMATS[format] === undefined || file === '') {
    throw new Error(`${text}: write ${Object.keys(FORMATS).join('=, ')}= and a file`)
  }
  return { format, file }
}

/**
 * Writes a report; beside a page also its badge.
 * @example
 * writeReport(report, { format: 'junit', file: 'contract.xml' })
 */
export function writeReport(report: Report, { format, file }: ReportTarget): void {
  const write = FORMATS[format]
  if (write === undefined) return
  const target = openSync(file, 'w')
  try {
    for (const part of write(report)) writeSync(target, part)
  } finally {
    closeSync(target)
  }
  if (format !== 'html') return
  writeFileSync(`${file}.badge.svg`, badgeSvg(report))
  writeFileSync(`${file}.badge.json`, badgeJson(report))
}

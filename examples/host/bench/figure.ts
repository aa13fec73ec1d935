/** One figure of a run, with what it is held against. */
export interface Figure {
  readonly name: string
  readonly value: string
  /** What was measured beside it in the same run. */
  readonly reference?: string
  /** Value by reference, such that more is better. */
  readonly ratio?: number
  /** Absent: told for comparison only, `isMet` is true. */
  readonly target?: string
  readonly isMet: boolean
}

/** The middle one. @throws RangeError for none */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** @param share - 0 to 1, below 1. @throws RangeError for no values */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const value = sorted[Math.floor(sorted.length * share)]
  if (value === undefined) throw new RangeError('no values')
  return value
}

/** The figures as a Markdown table. */
export function toTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, reference = '', ratio, target, isMet }) => [
    name,
    value,
    reference,
    ratio?.toFixed(2) ?? '',
    target ?? '',
    isMet ? (target === undefined ? '' : 'pass') : 'FAIL',
  ])
  const head = ['', 'measured', 'reference', 'ratio', 'target', '']
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[], fill = ' '): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`
  const rule = line(
    head.map(() => ''),
    '-',
  )
  return [line(head), rule, ...rows.map((row) => line(row))].join('\n')
}

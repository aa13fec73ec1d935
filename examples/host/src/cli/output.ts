import process from 'node:process'

/** Options that every command has. */
export interface OutputOptions {
  readonly json?: boolean
}

/** Prints an answer: as JSON with `--json`, in words otherwise. */
export function print(options: OutputOptions, answer: unknown, words: string): void {
  const text = options.json === true ? JSON.stringify(answer, null, 2) : words
  if (text !== '') process.stdout.write(`${text}\n`)
}

/** Rows under headings, in columns as wide as needed; a sentence when there are none. */
export function table(headings: readonly string[], rows: readonly (readonly unknown[])[]): string {
  if (rows.length === 0) return 'None.'
  const cells = [headings, ...rows.map((row) => row.map((cell) => clean(cell)))]
  const widths = headings.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)))
  return cells
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Names come from clients: a terminal must not obey them. */
export function clean(value: unknown): string {
  if (value === undefined || value === null) return '-'
  return String(value).replaceAll(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, ' ')
}

/** The objects of a list. */
export function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [] // The admin API answers objects.
}

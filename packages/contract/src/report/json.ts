import type { Report } from '../run/options.ts'

/** The report as JSON, an exchange a line. In parts: the text of a whole run at once takes as much room as the run did. */
export function* jsonReport({ recording, ...report }: Report): Generator<string> {
  const { exchanges, ...others } = recording
  yield `${openObject(report)}"recording":${openObject(others)}"exchanges":[`
  for (const [at, exchange] of exchanges.entries()) {
    yield `${at === 0 ? '' : ','}\n${JSON.stringify(exchange)}`
  }
  yield '\n]}}\n'
}

/** The text of an object that goes on. */
function openObject(value: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(value).slice(0, -1)},\n`
}

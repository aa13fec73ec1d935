import { appendFileSync, rmSync } from 'node:fs'
import { readJournal } from '../journal/journal.ts'
import { removeAll } from '../journal/remove.ts'
import { Budget, UNLIMITED } from '../net/budget.ts'
import { Wire } from '../net/wire.ts'
import { EXIT } from '../report/counts.ts'
import { CannotRun } from '../model/cannot-run.ts'
import type { RunOptions } from '../run/options.ts'
import type { Terminal } from './terminal.ts'

/** Removes what the journal of a run that was killed names. @returns what the process ends with */
export async function cleanUp(
  file: string,
  terminal: Pick<Terminal, 'out' | 'err'>,
  options: Pick<RunOptions, 'connectTo' | 'ca'>,
): Promise<number> {
  const leftovers = readLeftovers(file)
  const wire = new Wire({
    budget: new Budget(UNLIMITED),
    concurrency: 4,
    ...options,
  })
  const remaining = await removeAll(leftovers, wire, (id) => {
    appendFileSync(file, `${JSON.stringify({ gone: id })}\n`)
  })
  wire.close()
  for (const { made, reason } of remaining) {
    terminal.err(`Not removed: ${made.kind} "${made.name}": ${reason}\n`)
  }
  for (const { kind, name } of leftovers.unknown) {
    terminal.err(
      kind === 'client'
        ? `Perhaps made: client "${name}". A server forgets a client that was never allowed within an hour; the owner can remove it in the settings.\n`
        : `Perhaps made: ${kind} "${name}". It ends by itself.\n`,
    )
  }
  const done = leftovers.removable.length - remaining.length
  terminal.out(`Removed ${done} of ${leftovers.removable.length} that run ${leftovers.run} made.\n`)
  if (remaining.length > 0) return EXIT.notRemoved
  rmSync(file, { force: true })
  return EXIT.passed
}

function readLeftovers(file: string): ReturnType<typeof readJournal> {
  try {
    return readJournal(file)
  } catch (error) {
    throw new CannotRun(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

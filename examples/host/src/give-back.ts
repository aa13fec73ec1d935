import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

/**
 * Gives back what a start used: sources and the trees that were parsed of them, settings, lines of the start. V8 would
 * keep it until as much again was made, which an idle server may never do.
 */
export function giveBackMemory(): void {
  // Other contexts, this one among them, never see the function.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect // The flag is what defines it.
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

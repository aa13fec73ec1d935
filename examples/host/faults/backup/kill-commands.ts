import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Program } from '../support/program.ts'

const HOST = fileURLToPath(new URL('../..', import.meta.url))
const LOOK_MS = 5
/** What a command takes at most until it does what it is killed in, and what it takes then. Milliseconds. */
const BEGIN_MS = 60_000
const LONGEST_MS = 1500

export interface Killed {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Whether the command does by now what it is to be killed in. */
  readonly hasBegun: () => boolean
  /** Kills somebody else than the command. */
  readonly kill?: () => Promise<unknown>
}

/** Kills a command in the midst of its work, at a moment that the seed chooses. @returns false when it was done before */
export async function killMeanwhile(
  what: string,
  { args, env, hasBegun, kill }: Killed,
  { random, say }: Program,
): Promise<boolean> {
  const child = spawn(process.execPath, ['--conditions=source', 'src/cli.ts', ...args], {
    cwd: HOST,
    env,
    stdio: 'ignore',
  })
  let isOver = false
  const ended = once(child, 'exit').then(() => {
    isOver = true
  })
  const until = performance.now() + BEGIN_MS
  while (!isOver && !hasBegun() && performance.now() < until) await pause(LOOK_MS)
  const hasStarted = hasBegun()
  // Short waits are as likely as long ones: what there is takes moments with a small store.
  const afterMs = Math.round(LONGEST_MS ** random())
  await Promise.race([pause(afterMs), ended])
  const wasOver = isOver
  await kill?.()
  child.kill('SIGKILL')
  await ended
  say('killed', { what, afterMs, hasStarted, wasOver })
  return hasStarted && !wasOver
}

/** Bytes of what is being written into a folder under such a name; undefined while there is nothing. */
export function unfinishedBytes(folder: string, name: RegExp): number | undefined {
  const [found] = readdirSync(folder).filter((each) => name.test(each))
  if (found === undefined) return undefined
  try {
    return statSync(join(folder, found)).size
  } catch {
    // It has its name by now.
    return undefined
  }
}

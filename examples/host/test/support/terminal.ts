import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import type { Readable, Writable } from 'node:stream'
import type { CommandResult } from './host-process.ts'

/** Terminals in one folder. */
export interface Terminals {
  /** Runs a command line to its end. */
  run(command: string): Promise<CommandResult>
  /** Starts one that goes on. */
  open(command: string): Terminal
  /** Ends what still runs. */
  close(): Promise<void>
}

/** A terminal in which a command runs. */
export interface Terminal {
  /** What was printed so far. */
  readonly said: { readonly stdout: string; readonly stderr: string }
  /** The exit code, null after a signal, once everything that was started has ended. */
  readonly ended: Promise<number | null>
  /** Waits for a match, on standard output unless told otherwise. @throws Error with what was printed when none comes */
  find(pattern: RegExp, on?: 'stderr'): Promise<string>
  /** Waits until these lines stood there one after the other; `…` is anything. @throws like `find` */
  shows(lines: readonly string[]): Promise<string>
  /** Ctrl-C. Waits for the end. */
  interrupt(): Promise<void>
}

type Shell = ChildProcessByStdio<Writable, Readable, Readable>

/** Long enough for a first installation on a slow machine, milliseconds. */
const PATIENCE_MS = 180_000
const GRACE_MS = 20_000

/**
 * The command runs as a terminal runs it: a process group of its own, which Ctrl-C reaches as a whole. The end of
 * standard input is that Ctrl-C, so that nothing outlives a test process that is killed.
 */
const script = (command: string): string =>
  `exec 3<&0 </dev/null; (cat <&3; kill -s INT 0) >/dev/null 2>&1 & exec 3<&-; exec ${command}`

export function openTerminals(folder: string, env: NodeJS.ProcessEnv): Terminals {
  const running = new Set<Terminal>()

  function open(command: string): Terminal {
    const child = spawn('sh', ['-c', script(command)], {
      cwd: folder,
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const opened = terminal(command, child)
    running.add(opened)
    child.once('close', () => running.delete(opened))
    return opened
  }

  return {
    open,
    async run(command) {
      const { ended, said } = open(command)
      return { code: (await ended) ?? -1, ...said }
    },
    async close() {
      await Promise.all([...running].map((each) => each.interrupt()))
    },
  }
}

function terminal(command: string, child: Shell): Terminal {
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text
      child.emit('said')
    })
  }
  let isOver = false
  // Not its exit: what it said last is read by then.
  const ended = once(child, 'close').then(([code]: unknown[]) => {
    isOver = true
    child.emit('said')
    return code as number | null // as Node says
  })
  child.stdin.on('error', () => {})
  child.once('exit', () => child.stdin.end())

  async function find(pattern: RegExp, on: keyof typeof said = 'stdout'): Promise<string> {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    for (;;) {
      const found = pattern.exec(said[on])?.[0]
      if (found !== undefined) return found
      if (isOver || signal.aborted) {
        const { stdout, stderr } = said
        throw new Error(`${command} did not print ${pattern.source}:\n${stdout}\n${stderr}`)
      }
      await Promise.race([once(child, 'said', { signal }), ended]).catch(() => {})
    }
  }

  return {
    said,
    ended,
    find,
    shows: (lines) => find(patternOf(lines)),
    async interrupt() {
      child.stdin.end()
      const hard = setTimeout(() => killGroup(child), GRACE_MS)
      await ended
      clearTimeout(hard)
    },
  }
}

function killGroup({ pid = 0 }: Shell): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}

/** @param lines - as a document shows them */
function patternOf(lines: readonly string[]): RegExp {
  const escaped = lines.map((line) =>
    line.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('…', '[^\\n]+'),
  )
  return new RegExp(`^${escaped.join('\\n')}$`, 'm')
}

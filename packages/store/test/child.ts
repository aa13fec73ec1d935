import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { join } from 'node:path'

/** A process of a test; it talks in lines on its standard output. */
export interface Child {
  readonly process: ChildProcess
  /** Lines said so far. */
  readonly lines: string[]
  /** The first line, of those to come too, that begins so. */
  line(start: string): Promise<string>
  /** Sends SIGKILL and waits until it is gone and all of its lines are read. */
  kill(): Promise<void>
  /** Waits until it ends by itself; answers its exit code. */
  end(): Promise<number | null>
}

/** Runs a file of the test folder in a process of its own, TypeScript as it is. */
export function startChild(file: string, ...args: string[]): Child {
  const child = fork(join(import.meta.dirname, file), args, {
    execArgv: ['--conditions=source', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const { stdout } = child
  if (stdout === null) throw new Error('the child has no standard output')
  const lines: string[] = []
  const waiting = new Map<(line: string) => void, string>()
  const reader = createInterface({ input: stdout })
  reader.on('line', (line) => {
    lines.push(line)
    for (const [resolve, start] of waiting) {
      if (!line.startsWith(start)) continue
      waiting.delete(resolve)
      resolve(line)
    }
  })
  const closed = Promise.all([once(child, 'exit'), once(reader, 'close')])
  return {
    process: child,
    lines,
    line(start) {
      const said = lines.find((line) => line.startsWith(start))
      if (said !== undefined) return Promise.resolve(said)
      return new Promise((resolve, reject) => {
        waiting.set(resolve, start)
        void closed.then(() => reject(new Error(`the child ended without saying ${start}`)))
      })
    },
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
    async end() {
      await closed
      return child.exitCode
    },
  }
}

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { join } from 'node:path'

export type Child = ReturnType<typeof startChild>

/** Runs a file of the test folder in a process of its own, TypeScript as it is; it talks in lines on its standard output. */
export function startChild(file: string, ...args: string[]) {
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
    /** The first line, of those to come too, that begins so. */
    line(start: string): Promise<string> {
      const said = lines.find((line) => line.startsWith(start))
      if (said !== undefined) return Promise.resolve(said)
      return new Promise((resolve, reject) => {
        waiting.set(resolve, start)
        void closed.then(() => reject(new Error(`the child ended without saying ${start}`)))
      })
    },
    /** Sends SIGKILL and waits until it is gone and all of its lines are read. */
    async kill(): Promise<void> {
      child.kill('SIGKILL')
      await closed
    },
    /** Waits until it ends by itself; answers its exit code. */
    async end(): Promise<number | null> {
      await closed
      return child.exitCode
    },
  }
}

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A process of a test; it talks in lines on its standard output. */
export interface Child {
  readonly process: ChildProcess
  /** Lets it begin with a message. Resolves when it is ready. @throws Error when it ends before */
  begin(message: number): Promise<void>
  /** Sends SIGKILL, and waits until it is gone and all of its lines are read. */
  kill(): Promise<void>
}

/**
 * Runs a file of this folder in a process of its own, TypeScript as it is.
 * @param options.cache - folder for what one process compiled and the next one need not
 */
export function startChild(
  file: string,
  args: readonly string[],
  options: { readonly cache: string; readonly onLine: (line: string) => void },
): Child {
  const child = fork(join(import.meta.dirname, file), args, {
    execArgv: ['--conditions=source', '--disable-warning=ExperimentalWarning'],
    env: { ...process.env, NODE_COMPILE_CACHE: options.cache },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const { stdout } = child
  if (stdout === null) throw new Error('the child has no standard output')
  const ready = Promise.withResolvers<void>()
  const reader = createInterface({ input: stdout })
  reader.on('line', (line) => {
    if (line === 'ready') ready.resolve()
    options.onLine(line)
  })
  const closed = Promise.all([once(child, 'exit'), once(reader, 'close')])
  return {
    process: child,
    async begin(message) {
      child.send(message)
      const ended = closed.then(() => {
        throw new Error('the child ended before it was ready')
      })
      await Promise.race([ready.promise, ended])
      ended.catch(() => {})
    },
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
  }
}

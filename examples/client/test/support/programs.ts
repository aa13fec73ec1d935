import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { type BrowserClient, browserClient, freePort } from '@svc/testkit'

export const ROOT: string = path.resolve(import.meta.dirname, '../../../..')
const PASSPHRASE = 'seven green kettles sing at dawn'

/** A program that runs. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams
  /** What matches in the first line from here on that does. @throws Error when the program ends before */
  line(pattern: RegExp): Promise<string>
  /** Waits for the end. @returns the lines that nobody asked for, and the exit code */
  ended(): Promise<{ readonly rest: readonly string[]; readonly code: number | null }>
}

/** Programs of one suite, and the host that they meet. */
export class Programs {
  readonly #folder: string
  readonly #running: Running[] = []

  /** @param folder - for the host's data */
  constructor(folder: string) {
    this.#folder = folder
  }

  run(
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    cwd: string = ROOT,
  ): Running {
    const child = spawn(command, args, { cwd, env: { PATH: process.env['PATH'], ...env } })
    const exit = once(child, 'close')
    const said: string[] = []
    // What nobody asked for yet: two pipes are read in any order.
    const unread: string[] = []
    let wake = (): void => undefined
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        said.push(line)
        unread.push(line)
        wake()
      })
    }
    let isOver = false
    void exit.then(() => {
      isOver = true
      wake()
    })
    const one: Running = {
      child,
      async line(pattern) {
        for (;;) {
          const at = unread.findIndex((line) => pattern.test(line))
          if (at >= 0) return pattern.exec(unread.splice(at, 1)[0] ?? '')?.[0] ?? ''
          if (isOver) throw new Error(`never ${pattern.source}:\n${said.join('\n')}`)
          await new Promise<void>((resolve) => (wake = resolve))
        }
      },
      ended: async () => ({ code: (await exit)[0] as number | null, rest: unread }),
    }
    this.#running.push(one)
    return one
  }

  /** Starts the host; its owner has chosen a passphrase. */
  async openHost(): Promise<{
    readonly owner: BrowserClient
    readonly env: Readonly<Record<string, string>>
  }> {
    const port = await freePort()
    const env = { SVC_ADMIN_PORT: '0', SVC_DATA_DIR: this.#folder, SVC_PORT: String(port) }
    const main = ['--conditions=source', 'examples/host/src/main.ts']
    const host = this.run(process.execPath, main, env)
    const link = await host.line(/http\S+registerToken=\S+/)
    // A line of the log.
    const { adminPort } = JSON.parse(await host.line(/.*server\.started.*/)) as {
      adminPort: number
    }
    const owner = browserClient({ base: new URL(link).origin, port })
    const choose = (await owner.get(link)).page().form('/settings/passphrase')
    await owner.submit(choose, { passphrase: PASSPHRASE })
    return { owner, env: { ...env, SVC_ADMIN_PORT: String(adminPort) } }
  }

  async close(): Promise<void> {
    for (const { child, ended } of this.#running.splice(0)) {
      child.kill()
      await ended()
    }
  }
}

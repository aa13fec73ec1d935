import { Worker } from 'node:worker_threads'

/** What the thread is asked for. */
export type ThreadJob =
  | { readonly kind: 'bcrypt'; readonly text: string; readonly password: Uint8Array }
  | {
      readonly kind: 'argon2'
      readonly variant: 'argon2i' | 'argon2id'
      readonly memory: number
      readonly passes: number
      readonly lanes: number
      readonly bytes: number
      readonly salt: Uint8Array
      readonly password: Uint8Array
    }

/** Whether a bcrypt hash is the password's; the key of Argon2; or a fault without anything of the job in it. */
export type ThreadAnswer = boolean | Uint8Array | { readonly fault: string }

interface Waiting {
  readonly resolve: (answer: boolean | Uint8Array) => void
  readonly reject: (error: Error) => void
}

/** How long a thread without work is kept. Milliseconds. */
const IDLE_MS = 10_000

/** Beside this file, compiled or not. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? './foreign-hash-thread.ts' : './foreign-hash-thread.js',
  import.meta.url,
)

/** Runs what would block for long in one thread, one job after the other. It is started with the first job. */
export class HashThread {
  readonly #waiting: Waiting[] = []
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined

  /** @throws Error when the thread failed */
  run(job: ThreadJob): Promise<boolean | Uint8Array> {
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    const thread = this.#worker
    thread.ref()
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      thread.postMessage(job)
    })
  }

  #start(): Worker {
    const started = new Worker(THREAD, { env: {}, execArgv: [], stdin: false })
    started.on('message', (answer: ThreadAnswer) => {
      const next = this.#waiting.shift()
      if (typeof answer === 'object' && 'fault' in answer) next?.reject(new Error(answer.fault))
      else next?.resolve(answer)
      if (this.#waiting.length > 0) return
      started.unref()
      this.#idle = setTimeout(() => this.#lose(started, 'idle'), IDLE_MS)
      this.#idle.unref()
    })
    started.on('error', (error) => this.#lose(started, error.name))
    started.on('exit', () => this.#lose(started, 'ended'))
    return started
  }

  #lose(lost: Worker, fault: string): void {
    if (this.#worker !== lost) return
    this.#worker = undefined
    void lost.terminate()
    for (const each of this.#waiting.splice(0)) {
      each.reject(new Error(`the thread of hashes: ${fault}`))
    }
  }
}

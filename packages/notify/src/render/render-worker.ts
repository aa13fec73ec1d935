import { Worker } from 'node:worker_threads'
import { IDLE_MS, RENDER_DEADLINE_MS, type RenderAnswer, type RenderJob } from './render-job.ts'

/**
 * Does what apps could make expensive in a thread of its own, one job after the other: templates, and the words of
 * their mark-up. A thread that takes too long is ended; the server goes on meanwhile.
 */
export interface RenderWorker {
  /** Rejects with a {@link RenderFault}. */
  run(job: RenderJob): Promise<string>
}

/** A template or mark-up nothing could be made of. `message` tells the app's author why. */
export class RenderFault extends Error {
  override readonly name: string = 'RenderFault'
}

interface Waiting {
  readonly job: RenderJob
  readonly resolve: (output: string) => void
  readonly reject: (fault: RenderFault) => void
}

/** Beside this file, compiled or not. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? './render-thread.ts' : './render-thread.js',
  import.meta.url,
)

/**
 * Starts the thread with the first job. It keeps no process alive.
 * @param options.deadlineMs - when a thread is ended that works on one job
 * @param options.idleMs - how long a thread without work is kept
 */
export function createRenderWorker(
  options: { readonly deadlineMs?: number; readonly idleMs?: number } = {},
): RenderWorker {
  const { deadlineMs = RENDER_DEADLINE_MS, idleMs = IDLE_MS } = options
  const queue: Waiting[] = []
  let worker: Worker | undefined
  let current: Waiting | undefined
  let deadline: NodeJS.Timeout | undefined
  let idle: NodeJS.Timeout | undefined

  function startWorker(): Worker {
    const started = new Worker(THREAD, {
      env: {},
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
    })
    started.on('message', (answer: RenderAnswer) => {
      if (started === worker) settle(answer)
    })
    const lose = (fault: string): void => {
      if (started !== worker) return
      worker = undefined
      settle({ fault })
    }
    started.on('error', (error) => lose((error as NodeJS.ErrnoException).code ?? error.name))
    started.on('exit', () => lose('ended'))
    return started
  }

  function settle(answer: RenderAnswer): void {
    clearTimeout(deadline)
    const done = current
    current = undefined
    if ('output' in answer) done?.resolve(answer.output)
    else done?.reject(new RenderFault(answer.fault))
    next()
  }

  function next(): void {
    if (current !== undefined) return
    clearTimeout(idle)
    current = queue.shift()
    if (current === undefined) {
      worker?.unref()
      idle = setTimeout(stop, idleMs).unref()
      return
    }
    try {
      hand(current)
    } catch (error) {
      settle({ fault: (error as Error).name })
    }
  }

  /** @throws Error when there can be no thread, or the job cannot be copied to it */
  function hand(job: Waiting): void {
    worker ??= startWorker()
    const thread = worker
    thread.ref()
    thread.postMessage(job.job)
    const giveUp = (): void => {
      if (current !== job || worker !== thread) return
      stop()
      settle({ fault: 'deadline exceeded' })
    }
    // When this thread itself was busy, an answer may be waiting behind the timer.
    deadline = setTimeout(() => setImmediate(giveUp), deadlineMs)
  }

  function stop(): void {
    const ending = worker
    worker = undefined
    void ending?.terminate()
  }

  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        queue.push({ job, resolve, reject })
        next()
      }),
  }
}

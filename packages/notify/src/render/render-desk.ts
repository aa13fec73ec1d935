import { Worker } from 'node:worker_threads'
import type { RenderAnswer, RenderJob } from './render-job.ts'
import { IDLE_MS, RENDER_DEADLINE_MS } from './render-limits.ts'

/**
 * Does what apps could make expensive in a thread of its own, one job after the other: templates, and the words of
 * their mark-up. A thread that takes too long is ended; the server goes on meanwhile.
 */
export interface RenderDesk {
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

/** Starts the thread with the first job, and ends it after a minute without one. It keeps no process alive. */
export function createRenderDesk(): RenderDesk {
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
    current = queue.shift()
    if (current === undefined) {
      worker?.unref()
      idle = setTimeout(stop, IDLE_MS).unref()
      return
    }
    clearTimeout(idle)
    worker ??= startWorker()
    worker.ref()
    worker.postMessage(current.job)
    watch(current, worker)
  }

  function watch(job: Waiting, thread: Worker): void {
    const giveUp = (): void => {
      if (current !== job || worker !== thread) return
      stop()
      settle({ fault: 'deadline exceeded' })
    }
    // When this thread itself was busy, an answer may be waiting behind the timer.
    const look = (): NodeJS.Immediate => setImmediate(giveUp)
    deadline = setTimeout(look, RENDER_DEADLINE_MS)
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

import { createHash } from 'node:crypto'
import { DelayedError, type Job, Queue, Worker } from 'bullmq'
import { type Clock, clockCheckMs, systemClock } from '../clock.ts'
import { describeError } from '../describe-error.ts'
import type { StoreEventLog } from '../log/store-log.ts'
import { retryDelayMs } from '../retry-delay.ts'
import type { Scheduler, WakeUp } from '../scheduler.ts'
import { settledWithin } from '../settled-within.ts'
import { StoreUnavailableError } from '../store.ts'
import { createClient, PATIENT, type RedisClient } from './client.ts'
import { type Connection, logOutages, unavailable } from './connection.ts'
import type { RedisTarget } from './redis-url.ts'

/** The scheduler once BullMQ is loaded. */
export interface BullmqScheduler extends Scheduler {
  /** What was asked for and is not handled yet, each once. */
  pending(queue: string): AsyncIterable<WakeUp>
  close(): Promise<void>
}

const PREFIX = '{svc}'
const CONCURRENCY = 16
/** A handler's process that says nothing for this long is dead, and another one takes over. @see decision D18 */
const LOCK_MS = 5000
const DRAIN_MS = 5000
/** How long the list of an id's pending times outlives the last of them, while its handler keeps failing. */
const PENDING_MARGIN_MS = 30 * 24 * 60 * 60 * 1000
/** By how much the store's clock jumped against the machine's before that matters, milliseconds. */
const JUMP_MS = 1000
/** Jobs that are read at once. */
const PAGE = 500
const MANY = 1_000_000

/** Wake-ups as BullMQ jobs, and beside them a sorted set with the pending ones of each id, for `cancel`. */
export function createBullmqScheduler(options: {
  readonly connection: Connection
  readonly target: RedisTarget
  readonly clock: Clock
  readonly log: StoreEventLog
}): BullmqScheduler {
  const { connection, target, clock, log } = options
  const { client } = connection
  const queues = new Map<string, Queue<WakeUp>>()
  const workers = new Map<string, Worker<WakeUp>>()
  let consumer: RedisClient | undefined
  let offset = clock.now() - systemClock.now()

  function queueOf(name: string): Queue<WakeUp> {
    const known = queues.get(name)
    if (known !== undefined) return known
    const queue = new Queue<WakeUp>(physicalQueue(name), {
      connection: client,
      prefix: PREFIX,
      streams: { events: { maxLen: 100 } },
    })
    queue.on('error', () => {})
    queues.set(name, queue)
    // One whose first commands failed stays broken: the next call makes another.
    queue.waitUntilReady().catch(() => queues.delete(name))
    return queue
  }

  async function handle(
    queue: string,
    handler: (wakeUp: WakeUp) => Promise<void>,
    job: Job<WakeUp>,
    token: string | undefined,
  ): Promise<void> {
    const { id, when } = job.data
    const early = when - clock.now()
    if (early > 0) {
      await job.moveToDelayed(systemClock.now() + early, token)
      throw new DelayedError()
    }
    const pending = pendingKey(queue, id)
    try {
      await handler({ id, when })
    } catch (error) {
      const attempts = job.attemptsMade + 1
      const cause = describeError(error)
      log.error({ event: 'store.wake_up_failed', queue, attempts, cause }, 'a wake-up failed')
      if (!(await isCancelled(pending, job.id ?? ''))) {
        // Redis keeps the message: it says nothing of what the handler met.
        throw new Error('the handler failed')
      }
    }
    // One that stays listed costs nothing: the list expires.
    await client.zrem(pending, job.id ?? '').catch(() => {})
  }

  async function isCancelled(pending: string, jobId: string): Promise<boolean> {
    try {
      return (await client.zscore(pending, jobId)) === null
    } catch {
      return false
    }
  }

  /** BullMQ knows the machine's clock only: when ours jumped, what is due now is promoted by hand. */
  async function followClock(): Promise<void> {
    const now = clock.now() - systemClock.now()
    if (Math.abs(now - offset) < JUMP_MS) return
    for (const name of workers.keys()) {
      const jobs = await queueOf(name).getJobs(['delayed'], 0, MANY)
      for (const job of jobs) if (job.data.when <= clock.now()) await job.promote().catch(() => {})
    }
    offset = now
  }

  const clockCheck = setInterval(() => {
    followClock().catch((error: unknown) => {
      const cause = describeError(error)
      log.error({ event: 'store.scheduler_failed', cause }, 'due wake-ups cannot be promoted')
    })
  }, clockCheckMs(clock))
  clockCheck.unref()

  async function stopWorker(name: string, worker: Worker<WakeUp>): Promise<void> {
    if (workers.get(name) === worker) workers.delete(name)
    if (await settledWithin(worker.close(), DRAIN_MS)) return
    await settledWithin(worker.close(true), DRAIN_MS)
  }

  return {
    at: (queue, id, when) =>
      answered(connection.answerMs, async () => {
        const jobId = hash(queue, id, String(when))
        const pending = pendingKey(queue, id)
        const delay = Math.max(0, when - clock.now())
        const ttl = delay + PENDING_MARGIN_MS
        // Listed first: a wake-up that cannot be cancelled would be worse than a cancelled nothing.
        await connection.send(() =>
          Promise.all([
            client.zadd(pending, when, jobId),
            client.pexpire(pending, ttl, 'NX'),
            client.pexpire(pending, ttl, 'GT'),
          ]),
        )
        await queueOf(queue).add('wake-up', { id, when }, { jobId, delay, ...JOB_OPTIONS })
      }),

    cancel: (queue, id) =>
      answered(connection.answerMs, async () => {
        const pending = pendingKey(queue, id)
        const jobIds = await connection.send(() => client.zrange(pending, '0', '-1'))
        for (const jobId of jobIds) await queueOf(queue).remove(jobId)
        if (jobIds.length > 0) await connection.send(() => client.zrem(pending, ...jobIds))
      }),

    async process(name, handler) {
      if (workers.has(name)) throw new TypeError(`queue ${name} has a handler already`)
      consumer ??= createConsumer(target, log)
      const worker = new Worker<WakeUp>(
        physicalQueue(name),
        (job, token) => handle(name, handler, job, token),
        { connection: consumer, ...WORKER_OPTIONS },
      )
      worker.on('error', (error) => {
        const fields = { queue: name, cause: describeError(error) }
        log.error({ event: 'store.scheduler_failed', ...fields }, 'the scheduler failed')
      })
      workers.set(name, worker)
      return () => stopWorker(name, worker)
    },

    async *pending(name) {
      const queue = queueOf(name)
      const lists = ['delayed', 'prioritized', 'waiting', 'active'] as const
      const ids = [...new Set(await connection.send(() => queue.getRanges([...lists])))]
      for (let start = 0; start < ids.length; start += PAGE) {
        const page = ids.slice(start, start + PAGE)
        const jobs = await connection.send(() => Promise.all(page.map((id) => queue.getJob(id))))
        // One that is done meanwhile is gone.
        for (const job of jobs)
          if (job !== undefined) yield { id: job.data.id, when: job.data.when }
      }
    },

    async close() {
      clearInterval(clockCheck)
      await Promise.all([...workers].map(([name, worker]) => stopWorker(name, worker)))
      for (const queue of queues.values()) await settledWithin(queue.close(), connection.answerMs)
      consumer?.disconnect()
    },
  }
}

const WORKER_OPTIONS = {
  concurrency: CONCURRENCY,
  lockDuration: LOCK_MS,
  maxStalledCount: MANY,
  prefix: PREFIX,
  runRetryDelay: 1000,
  settings: { backoffStrategy: retryDelayMs },
  stalledInterval: LOCK_MS,
}

const JOB_OPTIONS = {
  attempts: MANY,
  backoff: { type: 'growing' },
  removeOnComplete: true,
  removeOnFail: { age: 7 * 24 * 60 * 60, count: 1000 },
  stackTraceLimit: 0,
}

function createConsumer(target: RedisTarget, log: StoreEventLog): RedisClient {
  const client = createClient(target, 'worker', PATIENT)
  logOutages(client, log)
  return client
}

/** BullMQ refuses `:` in names and ids; records never have keys with `#`. */
function physicalQueue(name: string): string {
  return `#queue-${name}`
}

function pendingKey(queue: string, id: string): string {
  return `${PREFIX}:#pending:${queue}:${hash(id)}`
}

function hash(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

/** In time, or not at all. */
async function answered(answerMs: number, work: () => Promise<void>): Promise<void> {
  const working = work()
  if (!(await settledWithin(working, answerMs))) {
    throw new StoreUnavailableError('Redis did not answer in time')
  }
  try {
    await working
  } catch (error) {
    throw unavailable(error)
  }
}

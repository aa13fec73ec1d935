import { parentPort } from 'node:worker_threads'
import type { ThreadAnswer, ThreadJob } from './hash-thread.ts'

/** The thread of {@link HashThread}: one job after the other. */
parentPort?.on('message', (job: ThreadJob) => {
  answer(job).then(
    (result) => parentPort?.postMessage(result),
    // A message of the library could quote what it was given.
    (error: unknown) => {
      const fault = error instanceof Error ? error.name : 'unknown'
      parentPort?.postMessage({ fault } satisfies ThreadAnswer)
    },
  )
})

async function answer(job: ThreadJob): Promise<ThreadAnswer> {
  // Loaded with the first job: it is an optional peer.
  const { argon2i, argon2id, bcryptVerify } = await import('hash-wasm')
  if (job.kind === 'bcrypt') return bcryptVerify({ hash: job.text, password: job.password })
  const { bytes, lanes, memory, passes, password, salt, variant } = job
  const derive = variant === 'argon2id' ? argon2id : argon2i
  return derive({
    password,
    salt,
    parallelism: lanes,
    memorySize: memory,
    iterations: passes,
    hashLength: bytes,
    outputType: 'binary',
  })
}

import { randomBytes, randomFillSync } from 'node:crypto'

/** Bytes that are fetched at once. */
const POOL_BYTES = 4096
/** Longer ones are fetched by themselves. */
const MAX_POOLED = 64

const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

/**
 * Random bytes of the system's generator. Short ones come from a pool, as those of `crypto.randomUUID` do: a call of the
 * generator costs far more than a few bytes do. Bytes that were given are erased from the pool.
 * @param bytes - at least 0
 * @example
 * const nonce = randomData(12)
 */
export function randomData(bytes: number): Buffer {
  if (bytes > MAX_POOLED) return randomBytes(bytes)
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  const end = used + bytes
  // Not of the allocator's shared memory, where other texts of the process lie.
  const given = Buffer.alloc(bytes)
  pool.copy(given, 0, used, end)
  pool.fill(0, used, end)
  used = end
  return given
}

import { randomBytes } from 'node:crypto'

const COUNTS = 0x1000

let lastMs = 0
let count = 0

/** A UUID of version 7; those of one process come in their order. @see RFC 9562 5.7 */
export function uuid7(now: number): string {
  if (now > lastMs) {
    lastMs = now
    count = 0
  } else {
    count += 1
    if (count === COUNTS) {
      lastMs += 1
      count = 0
    }
  }
  const time = lastMs.toString(16).padStart(12, '0')
  const random = randomBytes(8)
  // The two bits of the variant.
  random[0] = 0x80 | ((random[0] ?? 0) & 0x3f)
  const rest = random.toString('hex')
  const order = count.toString(16).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${order}-${rest.slice(0, 4)}-${rest.slice(4)}`
}

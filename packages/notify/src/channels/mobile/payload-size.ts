import type { OutgoingPush } from './push-gateway.ts'

/** Largest payload of FCM, APNs and Huawei. Bytes. @see notifications.md 16.7 */
export const MAX_PAYLOAD_BYTES = 4096
/** Largest plaintext of a web push: a record of 4 096 bytes with its header. @see decision D39; RFC 8291 4 */
export const MAX_WEB_PUSH_BYTES = 3993

/** Keys of `data` that stay: they tell what to open. */
const KEPT: ReadonlySet<string> = new Set(['appName', 'redirectLink'])
const ELLIPSIS = '…'
const ELLIPSIS_BYTES = Buffer.byteLength(ELLIPSIS)

type Sized = Pick<OutgoingPush, 'body' | 'data'>

/**
 * Makes a push fit: cuts its body between code points, then drops data, the largest first.
 * @param measure - bytes of the provider's form of it
 * @returns undefined when it is too large even so
 * @see notifications.md 16.7
 */
export function fitPayload<Push extends Sized>(
  push: Push,
  maxBytes: number,
  measure: (push: Push) => number,
): Push | undefined {
  const names = largestFirst(push.data)
  const without = (count: number): Push => {
    if (count === 0) return push
    const dropped = new Set(names.slice(0, count))
    const data = Object.entries(push.data).filter(([name]) => !dropped.has(name))
    return { ...push, data: Object.fromEntries(data) }
  }
  const shortest = Buffer.byteLength(push.body) > ELLIPSIS_BYTES ? ELLIPSIS : push.body
  const canFit = (candidate: Push): boolean => measure({ ...candidate, body: shortest }) <= maxBytes
  // An app may send thousands of names: each look at all of them halves what is left to try.
  let [least, most] = [0, names.length]
  while (least < most) {
    const middle = (least + most) >> 1
    if (canFit(without(middle))) most = middle
    else least = middle + 1
  }
  return cutBody(without(least), maxBytes, measure)
}

/** With as much of the body as there is room for. */
function cutBody<Push extends Sized>(
  push: Push,
  maxBytes: number,
  measure: (push: Push) => number,
): Push | undefined {
  if (measure(push) <= maxBytes) return push
  // A code point is at least a byte wherever it stands.
  const points = Array.from(push.body.slice(0, 2 * maxBytes)).slice(0, maxBytes)
  const cutTo = (count: number): Push => ({
    ...push,
    body: points.slice(0, count).join('') + ELLIPSIS,
  })
  if (points.length === 0 || measure(cutTo(0)) > maxBytes) return undefined
  let [fits, tooMany] = [0, points.length]
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1
    if (measure(cutTo(middle)) <= maxBytes) fits = middle
    else tooMany = middle
  }
  return cutTo(fits)
}

function largestFirst(data: OutgoingPush['data']): string[] {
  return Object.keys(data)
    .filter((name) => !KEPT.has(name))
    .map((name) => ({ name, size: byteLength({ [name]: data[name] }) }))
    .sort((a, b) => b.size - a.size)
    .map(({ name }) => name)
}

/** Bytes of a value as JSON. */
export function byteLength(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Longest time that providers keep a push: 28 days. */
const LONGEST_S = 2_419_200

/** A time to live as providers take it: whole seconds, at least one, at most 28 days. */
export function wholeSeconds(ttlMs: number): number {
  return Math.min(Math.max(Math.floor(ttlMs / 1000), 1), LONGEST_S)
}

import fc from 'fast-check'

export type Step =
  | { readonly kind: 'flip'; readonly at: number; readonly bit: number }
  | { readonly kind: 'cut' | 'repeat'; readonly at: number; readonly length: number }
  | { readonly kind: 'put'; readonly at: number; readonly bytes: Uint8Array }

/** Places are fractions of the length, so that they stay inside whatever the steps before left. */
const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
const length = fc.integer({ min: 1, max: 64 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('flip'), at: place, bit: fc.integer({ min: 0, max: 7 }) }),
  fc.record({ kind: fc.constantFrom('cut', 'repeat'), at: place, length }),
  fc.record({
    kind: fc.constant('put'),
    at: place,
    bytes: fc.uint8Array({ minLength: 1, maxLength: 16 }),
  }),
)
/** One to three changes. */
export const mutations: fc.Arbitrary<readonly Step[]> = fc.array(step, {
  minLength: 1,
  maxLength: 3,
})

/** The bytes after one change; the bytes given stay as they are. */
export function mutate(bytes: Buffer, mutation: Step): Buffer {
  const at = Math.floor(bytes.length * mutation.at)
  const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)]
  switch (mutation.kind) {
    case 'flip': {
      const changed = Buffer.from(bytes)
      if (at < changed.length) changed.writeUInt8(changed.readUInt8(at) ^ (1 << mutation.bit), at)
      return changed
    }
    case 'cut':
      return Buffer.concat([head, tail.subarray(mutation.length)])
    case 'repeat':
      return Buffer.concat([head, tail.subarray(0, mutation.length), tail])
    case 'put':
      return Buffer.concat([head, mutation.bytes, tail.subarray(mutation.bytes.length)])
  }
}

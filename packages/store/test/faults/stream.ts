import { indexKey, recordKey, type Key, type Store } from '../../src/index.ts'

const LANES = 8

/** The key of a record in the stream. */
export function streamKey(id: string): Key {
  return recordKey('stream', 'thing', id)
}

/** The counter that every step hits. */
export function streamCounter(round: string): Key {
  return recordKey('stream', 'counter', round)
}

/** The index of all records that a round left. */
export const streamIndex = (round: string): ReturnType<typeof indexKey> => indexKey('stream', round)

/**
 * Writes, takes and deletes without end, several at a time, telling the ledger before and after each step. A step
 * that fails leaves its records unknown.
 */
export async function stream(
  store: Store,
  round: string,
  note: (line: string) => void,
  isOver: () => boolean,
): Promise<void> {
  const index = streamIndex(round)
  const counter = streamCounter(round)

  async function step(one: string, two: string, n: number): Promise<void> {
    note(`? ${one}`)
    note(`? ${two}`)
    note(`= ${one} ${two}`)
    await store.write([
      { op: 'put', key: streamKey(one), value: { n, text: 'x'.repeat(200) } },
      { op: 'put', key: streamKey(two), value: n, indexes: [{ index, sort: two }] },
    ])
    note(`+ ${one}`)
    note(`+ ${two}`)
    if (n % 2 === 0) {
      note(`? ${one}`)
      await store.take(streamKey(one))
      note(`- ${one}`)
    }
    if (n % 3 === 0) {
      note(`? ${two}`)
      await store.write([{ op: 'delete', key: streamKey(two) }])
      note(`- ${two}`)
    }
    note(`# ${(await store.hit(counter, 3_600_000)).count}`)
  }

  async function lane(number: number): Promise<void> {
    for (let n = 0; !isOver(); n++) {
      try {
        await step(`${round}-${number}-${n}-a`, `${round}-${number}-${n}-b`, n)
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
  }

  await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)))
}

import type { Wire } from '../net/wire.ts'
import type { Leftovers, Made } from './journal.ts'

/** What could not be removed. */
export interface Remaining {
  readonly made: Made
  readonly reason: string
}

/** Removes what a run made, last made first. What is gone already counts as removed. */
export async function removeAll(
  { removable }: Pick<Leftovers, 'removable'>,
  wire: Wire,
  gone: (id: string) => void,
): Promise<readonly Remaining[]> {
  const remaining: Remaining[] = []
  for (const { removal, ...made } of removable) {
    const { answer, fault } = await wire.send(`remove.${made.kind}`, {
      method: removal.method,
      url: removal.url,
      headers: Object.entries(removal.headers),
    })
    const isGone =
      answer !== undefined && (answer.status < 300 || [401, 404, 409, 410].includes(answer.status))
    if (isGone) gone(made.id)
    else remaining.push({ made, reason: fault ?? `the answer is ${answer?.status}` })
  }
  return remaining
}

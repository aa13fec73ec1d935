import type { Wire } from '../net/wire.ts'
import { execute } from '../operator/operator.ts'
import type { Leftovers, Made, RemovalCommand, RemovalRequest } from './journal.ts'

/** What could not be removed. */
export interface Remaining {
  readonly made: Made
  readonly reason: string
}

/** What a program says of a thing that is not there. */
const ABSENT = /not found|no such|unknown instance|does not exist|there is no/i

/** Removes what a run made, last made first. What is gone already counts as removed. */
export async function removeAll(
  { removable }: Pick<Leftovers, 'removable'>,
  wire: Wire,
  gone: (id: string) => void,
): Promise<readonly Remaining[]> {
  const remaining: Remaining[] = []
  for (const { removal, ...made } of removable) {
    const reason =
      'command' in removal
        ? await removeByCommand(removal)
        : await removeByRequest(made, removal, wire)
    if (reason === undefined) gone(made.id)
    else remaining.push({ made, reason })
  }
  return remaining
}

async function removeByRequest(
  { kind }: Made,
  { method, url, headers }: RemovalRequest,
  wire: Wire,
): Promise<string | undefined> {
  const { answer, fault } = await wire.send(`remove.${kind}`, {
    method,
    url,
    headers: Object.entries(headers),
  })
  const isGone =
    answer !== undefined && (answer.status < 300 || [401, 404, 409, 410].includes(answer.status))
  return isGone ? undefined : (fault ?? `the answer is ${answer?.status}`)
}

async function removeByCommand({ command }: RemovalCommand): Promise<string | undefined> {
  const { code, output } = await execute(command)
  return code === 0 || ABSENT.test(output) ? undefined : `it ended with ${code}: ${output}`
}

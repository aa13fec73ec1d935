import type { Acknowledged } from '../support/ledger.ts'
import type { World } from './world.ts'

/** What each kind of change of the shared owner notes. */
const NOTED: Readonly<Record<string, string>> = {
  'consent given': 'consent.given',
  'logged out': 'logout',
  'session ended': 'session.ended',
  'account connected': 'account.connected',
  'account deleted': 'account.removed',
  'share created': 'share.made',
  'share deleted': 'share.ended',
}
/** Look-ups log in, too: of these there may be more. */
const NOTED_AT_LEAST: Readonly<Record<string, string>> = { 'logged in': 'login.succeeded' }

/** An entry, or the first or last line of an export, which have no event. */
interface Line {
  readonly event?: string
}

/** The change and its entry are one write: it holds when the record of the owner has the event, too. */
export function withEntry(
  world: World,
  { domain, event }: { readonly domain: string; readonly event: string },
  change: Acknowledged,
): Acknowledged {
  return {
    ...change,
    holds: async () => (await countEvents(world, domain)).has(event) && (await change.holds()),
  }
}

/**
 * Holds the record of the shared owner against what was acknowledged: nothing lacks its entry, nothing has it twice, and
 * the chain is whole. What had no answer may have its entry or not.
 * @returns what is wrong
 */
export async function checkRecord(world: World): Promise<readonly string[]> {
  const { domain, host, ledger } = world
  const events = await countEvents(world, domain)
  const wrong: string[] = []
  for (const [kind, event] of Object.entries({ ...NOTED, ...NOTED_AT_LEAST })) {
    const made = ledger.kinds.get(kind) ?? 0
    const noted = events.get(event) ?? 0
    if (noted < made) wrong.push(`${event}: ${made} acknowledged, ${noted} noted`)
    const most = made + ledger.unanswered
    if (noted > most && Object.hasOwn(NOTED, kind)) {
      wrong.push(`${event}: at most ${most} made, ${noted} noted`)
    }
  }
  const verified = (await host.admin('POST', `/instances/${domain}/activity/verify`)) as {
    readonly unbroken: boolean
  }
  if (!verified.unbroken) wrong.push(`the chain is broken: ${JSON.stringify(verified)}`)
  return wrong
}

/** How often each event is in the record of an owner. */
async function countEvents({ host }: World, domain: string): Promise<ReadonlyMap<string, number>> {
  const text = await host.adminText('POST', `/instances/${domain}/activity/export`)
  const counts = new Map<string, number>()
  for (const line of text.trimEnd().split('\n')) {
    const { event } = JSON.parse(line) as Line // As the format has it.
    if (event !== undefined) counts.set(event, (counts.get(event) ?? 0) + 1)
  }
  return counts
}

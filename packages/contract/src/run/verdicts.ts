import type { Ability } from '../model/ability.ts'
import { type Capability, type Check, groupOf, type Level, type Verdict } from '../model/check.ts'
import { isDisproved } from '../model/disproof.ts'
import { isDisturbance } from '../model/disturbance.ts'
import { Evidence, MissingExchange } from '../model/evidence.ts'
import type { Recording } from '../model/exchange.ts'
import { levelIn, type Profile } from '../model/profile.ts'

/** Judges a recording: nothing is sent. */
export async function judgeAll(
  checks: readonly Check[],
  recording: Recording,
  profile: Profile,
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = []
  // One after another: what a check needs is gone before the next one looks.
  for (const check of checks) verdicts.push(await judge(check, recording, profile))
  return verdicts
}

async function judge(check: Check, recording: Recording, profile: Profile): Promise<Verdict> {
  const { id, title, rules, why, remedy } = check
  const level = levelIn(profile, check) ?? 'may'
  const base = { id, title, group: groupOf(id), level, rules, why, remedy }
  const reason = check.needs?.flatMap((need) => reasonOf(need, recording, profile) ?? [])[0]
  if (reason !== undefined) return { ...base, outcome: 'skipped', reason, exchanges: [] }
  const disproved = check.needs?.find((need) => !isAbility(need) && isDisproved(need, recording))
  if (disproved !== undefined) {
    const told = `the profile says ${disproved}, the server does not have it`
    return { ...base, outcome: failureAt(level), reason: told, exchanges: [] }
  }
  const evidence = new Evidence(recording)
  try {
    const finding = await check.judge(evidence)
    const exchanges = evidence.used
    if (finding === undefined) {
      // What looked at nothing has shown nothing.
      return exchanges.length === 0
        ? { ...base, outcome: 'error', reason: 'the check looked at no exchange', exchanges }
        : { ...base, outcome: 'passed', exchanges }
    }
    const isDisturbed = exchanges.some((label) => {
      const exchange = evidence.find(label)
      return exchange !== undefined && isDisturbance(exchange)
    })
    const outcome = isDisturbed ? 'inconclusive' : failureAt(level)
    return { ...base, outcome, reason: finding, exchanges }
  } catch (error) {
    const exchanges = evidence.used
    if (error instanceof MissingExchange) {
      return { ...base, outcome: 'skipped', reason: error.message, exchanges }
    }
    const reason = error instanceof Error ? error.message : String(error)
    return { ...base, outcome: 'error', reason, exchanges }
  }
}

function failureAt(level: Level): 'failed' | 'warning' {
  return level === 'must' ? 'failed' : 'warning'
}

const LACKING: Readonly<Record<Ability, string>> = {
  passphrase: 'it needs the passphrase: give --owner-passphrase-file, not --owner-session',
  fresh: 'it needs an instance made for the run: give --operator',
  mailbox: 'it needs a mail: give --mailbox',
  provider: 'it needs a provider: give --operator with accountType and provider',
  clock: 'it needs an expiry: give --operator with advanceClock, or --slow',
}

/** Why a check cannot be judged; `undefined` when nothing lacks. */
function reasonOf(
  need: Capability | Ability,
  { abilities = [] }: Recording,
  profile: Profile,
): string | undefined {
  if (isAbility(need)) return abilities.includes(need) ? undefined : LACKING[need]
  return profile.has.includes(need) ? undefined : `the server has no ${need}`
}

function isAbility(need: Capability | Ability): need is Ability {
  return need in LACKING
}

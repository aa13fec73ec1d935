import { type Check, groupOf, type Verdict } from '../model/check.ts'
import { Evidence, MissingExchange } from '../model/evidence.ts'
import type { Recording } from '../model/exchange.ts'
import { levelIn, type Profile } from '../model/profile.ts'

/** Whether a limit or an outage came in between. */
const DISTURBED: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Judges a recording: nothing is sent. */
export async function judgeAll(
  checks: readonly Check[],
  recording: Recording,
  profile: Profile,
): Promise<readonly Verdict[]> {
  return Promise.all(checks.map((check) => judge(check, recording, profile)))
}

async function judge(check: Check, recording: Recording, profile: Profile): Promise<Verdict> {
  const { id, title, rules, why, remedy } = check
  const level = levelIn(profile, check) ?? 'may'
  const base = { id, title, group: groupOf(id), level, rules, why, remedy }
  const lacking = check.needs?.find((need) => !profile.has.includes(need))
  if (lacking !== undefined) {
    return { ...base, outcome: 'skipped', reason: `the server has no ${lacking}`, exchanges: [] }
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
    const isDisturbed = exchanges.some((label) => DISTURBED.has(evidence.of(label).answer.status))
    const outcome = isDisturbed ? 'inconclusive' : level === 'must' ? 'failed' : 'warning'
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

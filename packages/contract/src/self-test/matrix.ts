import type { Check } from '../model/check.ts'
import type { Recording } from '../model/exchange.ts'
import type { Profile } from '../model/profile.ts'
import { judgeAll } from '../run/verdicts.ts'
import { noticingsOf, saidOf } from './noticing.ts'
import { recordingFamilies } from './recording-families.ts'

/** Which broken answer a check noticed, and what it said. */
export interface Noticed {
  readonly check: string
  readonly family: string
  readonly mutation: string
  readonly said: string
}

/**
 * Which checks noticed which broken answer, and which noticed none: what `selfTest` answers.
 * @see docs/contract/README.md of the repository
 */
export interface Matrix {
  readonly noticed: readonly Noticed[]
  /** Checks that passed whatever was broken. */
  readonly blind: readonly string[]
}

/**
 * Breaks one answer at a time until each check that passed has failed with the reason that belongs to what was broken.
 * A check that never does proves nothing.
 */
export async function selfTest(
  checks: readonly Check[],
  recording: Recording,
  profile: Profile,
): Promise<Matrix> {
  const verdicts = await judgeAll(checks, recording, profile)
  const passed = new Map(
    verdicts.filter(({ outcome }) => outcome === 'passed').map((verdict) => [verdict.id, verdict]),
  )
  const found = await Promise.all(
    checks
      .filter(({ id }) => passed.has(id))
      .map(async (check) => ({
        id: check.id,
        noticed: await firstNoticed(
          check,
          recording,
          profile,
          passed.get(check.id)?.exchanges ?? [],
        ),
      })),
  )
  return {
    noticed: found.flatMap(({ noticed }) => noticed ?? []),
    blind: found.filter(({ noticed }) => noticed === undefined).map(({ id }) => id),
  }
}

async function firstNoticed(
  check: Check,
  recording: Recording,
  profile: Profile,
  labels: readonly string[],
): Promise<Noticed | undefined> {
  for await (const { mutation, said } of noticingsOf(check, recording, profile, labels)) {
    return { check: check.id, family: mutation.family, mutation: mutation.name, said }
  }
  for (const { name, reason, recording: broken } of recordingFamilies(recording)) {
    const said = await saidOf(check, broken, profile, reason)
    if (said !== undefined) return { check: check.id, family: 'recording', mutation: name, said }
  }
  return undefined
}

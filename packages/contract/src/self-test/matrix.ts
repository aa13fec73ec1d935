import type { Check } from '../model/check.ts'
import type { Answer, Exchange, Recording } from '../model/exchange.ts'
import type { Profile } from '../model/profile.ts'
import { judgeAll } from '../run/verdicts.ts'
import { FAMILIES } from './families.ts'
import type { Mutation } from './mutation.ts'
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
  const looked = recording.exchanges.filter(({ label }) => labels.includes(label))
  for (const exchange of looked) {
    for (const mutation of mutationsOf(exchange)) {
      const noticed = await notices(check, replaced(recording, mutation), profile, mutation)
      if (noticed !== undefined) return noticed
    }
  }
  for (const { name, reason, recording: broken } of recordingFamilies(recording)) {
    const noticed = await notices(check, broken, profile, { name, family: 'recording', reason })
    if (noticed !== undefined) return noticed
  }
  return undefined
}

async function notices(
  check: Check,
  broken: Recording,
  profile: Profile,
  { name, family, reason }: Pick<Mutation, 'name' | 'family' | 'reason'>,
): Promise<Noticed | undefined> {
  const [verdict] = await judgeAll([check], broken, profile)
  const isFailure = verdict?.outcome === 'failed' || verdict?.outcome === 'warning'
  const said = verdict?.reason ?? ''
  return isFailure && reason.test(said)
    ? { check: check.id, family, mutation: name, said }
    : undefined
}

function mutationsOf(exchange: Exchange): readonly Mutation[] {
  const { answer } = exchange
  if (answer === undefined) return []
  const answered: Exchange & { readonly answer: Answer } = { ...exchange, answer }
  return FAMILIES.flatMap((family) => family(answered))
}

function replaced(recording: Recording, { at, answer }: Mutation): Recording {
  return {
    ...recording,
    exchanges: recording.exchanges.map((exchange) =>
      exchange.label === at ? { ...exchange, answer } : exchange,
    ),
  }
}

import type { Check } from '../model/check.ts'
import type { Answer, Exchange, Recording } from '../model/exchange.ts'
import type { Profile } from '../model/profile.ts'
import { judgeAll } from '../run/verdicts.ts'
import { FAMILIES } from './families.ts'
import type { Mutation } from './mutation.ts'

/** What a check says of a broken answer. */
export interface Noticing {
  readonly mutation: Mutation
  readonly said: string
}

/** Breaks each answer that a check looked at in every way: what it notices, with the reason that belongs to it. */
export async function* noticingsOf(
  check: Check,
  recording: Recording,
  profile: Profile,
  labels: readonly string[],
): AsyncGenerator<Noticing> {
  for (const exchange of recording.exchanges.filter(({ label }) => labels.includes(label))) {
    for (const mutation of mutationsOf(exchange)) {
      const said = await saidOf(check, replaced(recording, mutation), profile, mutation.reason)
      if (said !== undefined) yield { mutation, said }
    }
  }
}

/** What a check says of a broken recording; `undefined` when it passes, or says something else than what is broken. */
export async function saidOf(
  check: Check,
  broken: Recording,
  profile: Profile,
  reason: RegExp,
): Promise<string | undefined> {
  const [verdict] = await judgeAll([check], broken, profile)
  const isFailure = verdict?.outcome === 'failed' || verdict?.outcome === 'warning'
  const said = verdict?.reason ?? ''
  return isFailure && reason.test(said) ? said : undefined
}

/** Every way in which the answer of an exchange is broken. */
export function mutationsOf(exchange: Exchange): readonly Mutation[] {
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

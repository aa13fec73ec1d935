import { PROFILES, type Report } from '../../src/index.ts'
import type { Verdict } from '../../src/model/check.ts'
import type { Exchange } from '../../src/model/exchange.ts'
import type { Profile } from '../../src/model/profile.ts'

/** A verdict of one check. */
export function verdict(
  outcome: Verdict['outcome'],
  level: Verdict['level'] = 'must',
  id = 'TOK-001',
): Verdict {
  return {
    id,
    title: 'A title.',
    group: id.slice(0, 3),
    level,
    outcome,
    reason: 'what is wrong',
    rules: ['RFC 6749 5.1'],
    why: 'A reason.',
    remedy: 'A remedy.',
    exchanges: ['tok.exchange'],
  }
}

/** The report of a run that said and recorded this. */
export function reportOf(verdicts: readonly Verdict[], exchanges: readonly Exchange[]): Report {
  return {
    schema: 'contract-report/1',
    target: 'https://host.example',
    profile: 'svc',
    catalogue: '1.0',
    run: '00000000',
    seed: 1,
    begun: '2026-11-23T00:00:00.000Z',
    ms: 1000,
    spent: {},
    verdicts,
    recording: {
      target: 'https://host.example',
      run: '00000000',
      exchanges,
      secrets: {},
      notes: {},
      stopped: {},
    },
    remaining: [],
  }
}

export function profileOf(wanted: string): Profile {
  const profile = PROFILES.find(({ name }) => name === wanted)
  if (profile === undefined) throw new Error(`there is no profile ${wanted}`)
  return profile
}

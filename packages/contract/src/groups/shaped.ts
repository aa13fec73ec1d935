import type { Ability } from '../model/ability.ts'
import type { Basis, Capability, Check, Finding, Level } from '../model/check.ts'
import type { Evidence } from '../model/evidence.ts'

/** What the checks of one file share. */
export interface Shared {
  readonly needs: readonly (Capability | Ability)[]
  readonly basis: Basis
  readonly level?: Level
}

/** One check without what it shares with its neighbours. */
export type Shaped = readonly [
  id: string,
  title: string,
  rules: string,
  why: string,
  remedy: string,
  judge: (evidence: Evidence) => Finding | Promise<Finding>,
]

/** Checks that share needs, basis and level. */
export function checksWith(shared: Shared, shaped: readonly Shaped[]): readonly Check[] {
  return shaped.map(([id, title, rules, why, remedy, judge]) => ({
    id,
    title,
    level: shared.level ?? 'must',
    basis: shared.basis,
    rules: rules.split('; '),
    needs: shared.needs,
    since: '1.1',
    why,
    remedy,
    judge,
  }))
}

/** The same checks, each of which needs this beside what it needs. */
export function withNeeds(checks: readonly Check[], need: Capability | Ability): readonly Check[] {
  return checks.map((check) => ({ ...check, needs: [need, ...(check.needs ?? [])] }))
}

import type { Ability } from '../model/ability.ts'
import type { Capability, Check } from '../model/check.ts'
import type { World } from '../world/world.ts'

/** What scenarios must not do at the same time. */
export type Exclusive = 'session' | 'fresh'

/** Talks to the server; every exchange is recorded under a label that begins with the group in small letters. */
export interface Scenario {
  readonly id: string
  readonly needs?: readonly (Capability | Ability)[]
  readonly exclusive?: Exclusive
  /** Of those that exclude each other, the one with the lower number comes first. @defaultValue 0 */
  readonly turn?: number
  run(world: World): Promise<void>
}

/** Scenarios and the checks that look at what they recorded. */
export interface Group {
  readonly name: string
  readonly title: string
  readonly scenarios: readonly Scenario[]
  readonly checks: readonly Check[]
}

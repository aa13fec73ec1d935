import { type OptionFault, OptionsError } from './faults.ts'
import type { Members, Problem } from './option.ts'
import { isObject, noteProblem, type Reading, readObject } from './read-option.ts'
import type { SettledMembers } from './shapes.ts'

/** The options of a function: what may be given, and what is made of it. */
export interface OptionsDefinition<Settled> {
  readonly members: Members
  /** Where the options begin in paths of faults. */
  readonly root: string
  /**
   * The options with every default filled in.
   * @throws OptionsError with every fault at once, each with its path
   */
  settle(options: unknown): Settled
}

/**
 * Defines what a function can be told, each option once. Faults are found all at once; an unknown name is one, and says
 * which name is near.
 * @param rule.check - looks at all options together, once each of them is right
 * @param rule.root - where paths begin, for options that are part of others
 * @example
 * interface CourierOptions {
 *   readonly store: Store
 *   readonly trustProxy?: number
 * }
 * const OPTIONS: OptionsDefinition<Settled<CourierOptions>> = defineOptions({
 *   store: port<Store>(['get', 'write']),
 *   trustProxy: integer(0, 10).or(0),
 * } satisfies OptionsFor<CourierOptions>)
 */
export function defineOptions<Of extends Members>(
  members: Of,
  rule: {
    readonly check?: (settled: SettledMembers<Of>) => Problem
    readonly root?: string
  } = {},
): OptionsDefinition<SettledMembers<Of>> {
  const { root = 'options', check } = rule
  return {
    members,
    root,
    settle(options) {
      const faults: OptionFault[] = []
      const reading: Reading = { faults, later: [], options }
      if (options !== undefined && !isObject(options)) {
        throw new OptionsError([{ path: root, problem: 'must be an object' }])
      }
      // Every member is read by its own option; what is not right does not get out of here.
      const settled = readObject(members, options ?? {}, root, reading) as SettledMembers<Of>
      if (faults.length === 0) {
        for (const derive of reading.later) derive()
        noteProblem(check?.(settled), root, reading)
      }
      if (faults.length > 0) throw new OptionsError(faults)
      return settled
    },
  }
}

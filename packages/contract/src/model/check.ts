import type { Ability } from './ability.ts'
import type { Evidence } from './evidence.ts'

/** What a rule rests on: profiles choose by it. */
export type Basis = 'rfc' | 'seed' | 'clients' | 'product'
export type Level = 'must' | 'should' | 'may'
export type Capability =
  | 'owner'
  | 'pages'
  | 'apps'
  | 'management'
  | 'revocation'
  | 'resource'
  | 'notifications'
  | 'realtime'
  | 'confirmation'
  | 'sharing'
  | 'certification'
  | 'connectors'
  | 'assistants'

/** What is wrong, in one sentence; `undefined` when all is well. */
export type Finding = string | undefined

/** One rule of the interface, and the function that tells from recorded exchanges whether it holds. */
export interface Check {
  /** Three letters and three digits; never used for another rule again. */
  readonly id: string
  /** One sentence that says the rule. */
  readonly title: string
  /** As a server of the whole interface has to follow it; profiles may lower it. */
  readonly level: Level
  readonly basis: Basis
  /** Where the rule stands: a document with its section, or an RFC with its keyword. */
  readonly rules: readonly string[]
  readonly needs?: readonly (Capability | Ability)[]
  readonly why: string
  readonly remedy: string
  /** First version of the catalogue that has it. @defaultValue `1.0` */
  readonly since?: string
  /** @throws MissingExchange when what it looks at was not recorded: then the check is skipped */
  readonly judge: (evidence: Evidence) => Finding | Promise<Finding>
}

export type Outcome = 'passed' | 'failed' | 'warning' | 'skipped' | 'inconclusive' | 'error'

/** What came out of a check. */
export interface Verdict {
  readonly id: string
  readonly title: string
  readonly group: string
  readonly level: Level
  readonly outcome: Outcome
  /** Why it failed, was skipped or is not known. */
  readonly reason?: string
  /** From the list of expected failures. */
  readonly expected?: string
  readonly rules: readonly string[]
  readonly why: string
  readonly remedy: string
  /** Labels of the exchanges that were looked at. */
  readonly exchanges: readonly string[]
}

/** The group of a check, such as `TOK`. */
export function groupOf(id: string): string {
  return id.slice(0, 3)
}

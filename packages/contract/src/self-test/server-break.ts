import type { Answered } from '../model/evidence.ts'
import type { Answer } from '../model/exchange.ts'
import type { Break, Breaking } from './break.ts'

/** A server that breaks a rule everywhere, with the groups whose checks have to notice. */
export interface ServerBreak extends Break {
  readonly groups: readonly string[]
}

/** What becomes of an answer. */
export type Change = (exchange: Answered) => Answer

/** A break of a rule in every answer. @param begin - for one run */
export function everywhere(
  family: string,
  name: string,
  groups: readonly string[],
  reason: RegExp,
  begin: () => Change,
): ServerBreak {
  return { family, name, groups, reason, begin: (): Breaking => ({ answer: begin() }) }
}

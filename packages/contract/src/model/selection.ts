import { type Check, groupOf, type Level } from './check.ts'

/** Which checks are run: all, without a choice. Patterns may hold `*`. */
export interface Selection {
  readonly only?: readonly string[]
  readonly except?: readonly string[]
  readonly groups?: readonly string[]
  readonly levels?: readonly string[]
  /** Keeps to what this version of the catalogue held. */
  readonly catalogue?: string
}

/** @param level - that the check has in the profile of the run */
export function isSelected({ id, since }: Check, level: Level, selection: Selection): boolean {
  const { only, except, groups, levels, catalogue } = selection
  return (
    (only === undefined || only.some((pattern) => matchesId(pattern, id))) &&
    (except === undefined || !except.some((pattern) => matchesId(pattern, id))) &&
    (groups === undefined || groups.includes(groupOf(id))) &&
    (levels === undefined || levels.includes(level)) &&
    (catalogue === undefined || compareVersions(since ?? '1.0', catalogue) <= 0)
  )
}

/** Whether a pattern such as `TOK-0*` means an id. */
export function matchesId(pattern: string, id: string): boolean {
  const source = pattern.replace(/[^A-Za-z0-9*]/g, '\\$&').replaceAll('*', '.*')
  return new RegExp(`^${source}$`).test(id)
}

/** Below 0 when the first version came before the other. */
export function compareVersions(one: string, other: string): number {
  const [major = 0, minor = 0] = one.split('.').map(Number)
  const [otherMajor = 0, otherMinor = 0] = other.split('.').map(Number)
  return major - otherMajor || minor - otherMinor
}

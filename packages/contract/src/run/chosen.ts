import { CATALOGUE, CATALOGUE_VERSION, checksOf, GROUPS } from '../groups/catalogue.ts'
import { CannotRun } from '../model/cannot-run.ts'
import type { Check } from '../model/check.ts'
import type { Profile } from '../model/profile.ts'
import { compareVersions, matchesId, type Selection } from '../model/selection.ts'
import type { Expected } from './expected.ts'

const LEVELS: readonly string[] = ['must', 'should', 'may']

/**
 * The checks of a selection. A word that chooses nothing is a mistake: a run that asks nothing would pass.
 * @throws CannotRun for a version, group, level or pattern that there is not, and when nothing is left
 */
export function chosenChecks(profile: Profile, selection: Selection): readonly Check[] {
  const { only = [], except = [], groups = [], levels = [], catalogue } = selection
  for (const group of groups) {
    if (!GROUPS.some(({ name }) => name === group))
      throw new CannotRun(`There is no group ${group}.`)
  }
  for (const level of levels) {
    if (!LEVELS.includes(level)) throw new CannotRun(`There is no level ${level}.`)
  }
  for (const pattern of [...only, ...except]) {
    if (!CATALOGUE.some(({ id }) => matchesId(pattern, id))) {
      throw new CannotRun(`${pattern} is no check; see svc-contract list.`)
    }
  }
  if (catalogue !== undefined) requireVersion(catalogue)
  const chosen = checksOf(profile, selection)
  if (chosen.length === 0) {
    throw new CannotRun(`Nothing is left to ask in profile ${profile.name} by this choice.`)
  }
  return chosen
}

/** @throws CannotRun for an expected failure of a check that there is not */
export function requireKnown(expected: readonly Expected[]): void {
  const unknown = expected.find(({ id }) => !CATALOGUE.some((check) => check.id === id))
  if (unknown !== undefined)
    throw new CannotRun(`A failure of ${unknown.id} is expected, which is no check.`)
}

function requireVersion(version: string): void {
  const isVersion = /^\d{1,4}\.\d{1,4}$/.test(version)
  if (isVersion && compareVersions(version, CATALOGUE_VERSION) <= 0) return
  throw new CannotRun(
    `There is no catalogue ${version}: this program has ${CATALOGUE_VERSION} and those before it.`,
  )
}

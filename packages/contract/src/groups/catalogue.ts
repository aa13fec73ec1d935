import { type Check, groupOf } from '../model/check.ts'
import { levelIn, type Profile } from '../model/profile.ts'
import { isSelected, type Selection } from '../model/selection.ts'
import type { Group } from './group.ts'
import { APP } from './app/group.ts'
import { AST } from './ast/group.ts'
import { AUT } from './aut/group.ts'
import { BCP } from './bcp/group.ts'
import { BEA } from './bea/group.ts'
import { CNF } from './cnf/group.ts'
import { CON } from './con/group.ts'
import { CRT } from './crt/group.ts'
import { LIM } from './lim/group.ts'
import { MET } from './met/group.ts'
import { MGT } from './mgt/group.ts'
import { NOT } from './not/group.ts'
import { PKC } from './pkc/group.ts'
import { REF } from './ref/group.ts'
import { REG } from './reg/group.ts'
import { REV } from './rev/group.ts'
import { RTM } from './rtm/group.ts'
import { SES } from './ses/group.ts'
import { SHM } from './shm/group.ts'
import { TFA } from './tfa/group.ts'
import { TOK } from './tok/group.ts'
import { WAY } from './way/group.ts'
import { WEB } from './web/group.ts'

/**
 * A new must is a minor version, another verdict of a check a major one.
 * @example
 * const isOfThisCatalogue = report.catalogue === CATALOGUE_VERSION
 */
export const CATALOGUE_VERSION = '1.2'

/**
 * Every group, in the order of reports.
 * @example
 * const titles = GROUPS.map(({ name, title }) => `${name} ${title}`)
 */
export const GROUPS: readonly Group[] = [
  MET,
  REG,
  MGT,
  AUT,
  PKC,
  TOK,
  REF,
  REV,
  BEA,
  SES,
  WEB,
  BCP,
  CNF,
  APP,
  NOT,
  RTM,
  SHM,
  CRT,
  TFA,
  WAY,
  CON,
  AST,
  LIM,
]

/** Every check. */
export const CATALOGUE: readonly Check[] = GROUPS.flatMap(({ checks }) => checks)

/** The checks that a run judges. */
export function checksOf(profile: Profile, selection: Selection): readonly Check[] {
  return CATALOGUE.filter((check) => {
    const level = levelIn(profile, check)
    return (
      level !== undefined &&
      (profile.groups === undefined || profile.groups.includes(groupOf(check.id))) &&
      isSelected(check, level, selection)
    )
  })
}

/** The groups that a run needs for its checks. */
export function groupsOf(profile: Profile, selection: Selection): readonly Group[] {
  const wanted = new Set(checksOf(profile, selection).map(({ id }) => groupOf(id)))
  return GROUPS.filter(({ name }) => wanted.has(name))
}

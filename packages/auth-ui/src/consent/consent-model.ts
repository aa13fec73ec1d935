import { type ConsentView, serializeScope } from '@svc/oauth-core'
import { type Isolated, isolated } from '../messages.ts'
import { initialsOf } from '../views.ts'
import { groupsOf, type ItemOptions, type PermissionGroup } from './permission-items.ts'
import { redirectTarget, webAddress, workingLink } from './redirect-target.ts'

/** What the template of the consent page is given. Texts are catalogue keys with values, or words already. */
export interface ConsentModel {
  readonly app: {
    readonly name: Isolated
    readonly initials: string
    /** 1 to 6: the same name has the same colour. */
    readonly colour: number
    readonly isLinked: boolean
    /** Host the app says it comes from. */
    readonly host?: Isolated
  }
  /** Of a client that has something already: what is new. */
  readonly groups: readonly PermissionGroup[]
  /** What it has already, folded; empty when all or nothing is new. */
  readonly before: { readonly count: number; readonly groups: readonly PermissionGroup[] }
  /** Key of a sentence about what is new and what is not. */
  readonly newsKey?: string
  readonly choice: {
    /** Whether each permission has a box. */
    readonly isOpen: boolean
    /** Key of a sentence about why not. */
    readonly reasonKey?: string
    readonly isNothingChosen: boolean
  }
  readonly durations: readonly { readonly value: string; readonly isChosen: boolean }[]
  /** Keys of short lines about the client. */
  readonly signs: readonly string[]
  readonly target: {
    readonly key: string
    readonly values: Record<string, Isolated>
    readonly isWarning: boolean
    /** Another program or site than the one it says it is of: worth a second look. */
    readonly leaves: boolean
    readonly leavesKey?: string
  }
  readonly raw: {
    readonly rules: readonly string[]
    readonly redirectUri: string
    readonly software: string
    readonly clientId: string
  }
  readonly policyUrl?: string
  readonly cancelUrl: string
}

const COLOURS = 6

/** Words for everything the owner decides about. @see oauth.md 5.2, decision D60 */
export function consentModel(view: ConsentView, options: ItemOptions): ConsentModel {
  const { client, linkedApp, permissions, signs } = view
  const { metadata } = client
  const name = linkedApp?.name ?? metadata.client_name
  const host = webAddress(metadata.client_uri)?.host
  const policyUrl = webAddress(metadata.policy_uri)?.href
  return {
    app: {
      name: isolated(name),
      initials: initialsOf(name, 2),
      colour: colourOf(name),
      isLinked: linkedApp !== undefined,
      ...(host === undefined || linkedApp !== undefined ? {} : { host: isolated(host) }),
    },
    ...newAndBefore(view, options),
    choice: choiceOf(view),
    durations: view.durations.map((value) => ({ value, isChosen: value === view.duration })),
    signs: [
      ...(signs.isSelfRegistered ? ['consent.sign.self'] : []),
      ...(signs.isNew ? ['consent.sign.new'] : []),
    ],
    target: {
      ...redirectTarget(view.redirectUri),
      leaves: signs.leavesTo !== undefined,
      ...leavesKey(signs.leavesTo, host !== undefined && linkedApp === undefined),
    },
    raw: {
      rules: permissions.map((permission) => serializeScope([permission])),
      redirectUri: view.redirectUri,
      software: [metadata.software_id, metadata.software_version].filter(Boolean).join(' '),
      clientId: client.id,
    },
    ...(policyUrl === undefined ? {} : { policyUrl }),
    cancelUrl: workingLink(view.cancelUrl) ?? '/',
  }
}

/** SPEC: issue 4 - of a known client, what is new stands first; what it has already is folded below. */
function newAndBefore(
  { permissions, allowedBefore, problem }: ConsentView,
  options: ItemOptions,
): Pick<ConsentModel, 'groups' | 'before' | 'newsKey'> {
  const had = new Set(allowedBefore)
  const placed = permissions.map((permission, place) => ({
    permission,
    place,
    isTicked: problem !== 'nothing_chosen',
  }))
  const fresh = placed.filter(({ place }) => !had.has(place))
  if (had.size === 0 || fresh.length === 0) {
    return {
      groups: groupsOf(placed, options),
      before: { count: 0, groups: [] },
      ...(had.size === 0 ? {} : { newsKey: 'consent.news.none' }),
    }
  }
  const before = placed.filter(({ place }) => had.has(place))
  return {
    groups: groupsOf(fresh, options),
    before: { count: before.length, groups: groupsOf(before, options) },
    newsKey: 'consent.news',
  }
}

function choiceOf({ permissionChoice, problem }: ConsentView): ConsentModel['choice'] {
  const hasReason = permissionChoice === 'linked' || permissionChoice === 'everything'
  return {
    isOpen: permissionChoice === 'open',
    ...(hasReason ? { reasonKey: `consent.whole.${permissionChoice}` } : {}),
    isNothingChosen: problem === 'nothing_chosen',
  }
}

function leavesKey(
  leavesTo: ConsentView['signs']['leavesTo'],
  namesSite: boolean,
): { readonly leavesKey?: string } {
  if (leavesTo === 'program') return { leavesKey: 'consent.leaves.program' }
  return leavesTo === 'site' && namesSite ? { leavesKey: 'consent.leaves.site' } : {}
}

/** 1 to 6: the same name has the same colour. */
export function colourOf(name: string): number {
  let sum = 0
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 997
  return (sum % COLOURS) + 1
}

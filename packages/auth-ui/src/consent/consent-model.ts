import { type ConsentView, serializeScope } from '@svc/oauth-core'
import { dateText } from '@svc/platform'
import { type Isolated, isolated } from '../messages.ts'
import { initialsOf } from '../views.ts'
import { type Caution, cautionOf } from './caution.ts'
import {
  type ConsentGroup,
  consentGroups,
  type ConsentItem,
  consentItems,
} from './consent-groups.ts'
import { presetDuration } from './duration-preset.ts'
import type { KindOptions } from './kind-facts.ts'
import { redirectTarget, webAddress, workingLink } from './redirect-target.ts'
import { consentSentence } from './sentence.ts'

/** What the template of the consent page is given. Texts are catalogue keys with values, or words already. */
export interface ConsentModel {
  readonly app: {
    readonly name: Isolated
    /** Set smaller, so that it does not push the sentence away. */
    readonly isLong: boolean
    readonly initials: string
    /** 1 to 6: the same name has the same colour. */
    readonly colour: number
    /** Key of a line about how well it is known. */
    readonly standingKey: string
    /** What it was called when it was allowed. */
    readonly formerName?: Isolated
  }
  /** What it can do, in one or two sentences. */
  readonly sentence: string
  readonly caution?: Caution
  /** Of a client that has something already: what is new. */
  readonly groups: readonly ConsentGroup[]
  /** What it has already, folded. */
  readonly keeps?: {
    readonly count: number
    readonly date: string
    readonly items: readonly ConsentItem[]
  }
  readonly choice: {
    /** Whether each right has a box. */
    readonly isOpen: boolean
    /** Key of a sentence about why not. */
    readonly reasonKey?: string
    readonly isNothingChosen: boolean
  }
  readonly durations: readonly { readonly value: string; readonly isChosen: boolean }[]
  readonly target: {
    readonly key: string
    readonly values: Record<string, Isolated>
    /** Key of what is not certain about it. */
    readonly claimKey?: string
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

/** What the words are made with. */
export interface ConsentOptions extends KindOptions {
  /** Names that no stranger may wear: of installed apps, the instance and the product. */
  readonly ownNames: readonly string[]
  readonly timeZone?: string
}

const COLOURS = 6
const LONG_NAME = 48

/** Words for everything the owner decides about. @see oauth.md 5.2, decision D60, docs/decisions/0455 */
export function consentModel(view: ConsentView, options: ConsentOptions): ConsentModel {
  const { client, linkedApp, permissions } = view
  const { metadata } = client
  const name = linkedApp?.name ?? metadata.client_name
  const formerName = linkedApp === undefined ? client.formerName : undefined
  const policyUrl = webAddress(metadata.policy_uri)?.href
  const caution = cautionOf(view, options.ownNames, options)
  const duration = presetDuration(view, options)
  return {
    app: {
      name: isolated(name),
      isLong: name.length > LONG_NAME,
      initials: initialsOf(name, 2),
      colour: colourOf(name),
      standingKey: standingOf(view),
      ...(formerName !== undefined && { formerName: isolated(formerName) }),
    },
    ...newAndKept(view, options),
    ...(caution === undefined ? {} : { caution }),
    choice: choiceOf(view),
    durations: view.durations.map((value) => ({ value, isChosen: value === duration })),
    target: targetOf(view),
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

/** Of a known client, only what is new has groups; what it has already is folded below. */
function newAndKept(
  { permissions, allowedBefore, allowedAt, problem }: ConsentView,
  options: ConsentOptions,
): Pick<ConsentModel, 'groups' | 'keeps' | 'sentence'> {
  const had = new Set(allowedBefore)
  const isTicked = problem !== 'nothing_chosen'
  const placed = permissions.map((permission, place) => ({ permission, place, isTicked }))
  const fresh = placed.filter(({ place }) => !had.has(place))
  const kept = placed.filter(({ place }) => had.has(place))
  const date = allowedAt === undefined ? '' : dateOf(allowedAt, options)
  const asked = { permissions: fresh.map(({ permission }) => permission), isKnown: had.size > 0 }
  return {
    sentence: consentSentence({ ...asked, allowedOn: date }, options),
    groups: consentGroups(fresh, options),
    ...(kept.length === 0
      ? {}
      : { keeps: { count: kept.length, date, items: consentItems(kept, options) } }),
  }
}

function dateOf(at: number, { messages, timeZone = 'UTC' }: ConsentOptions): string {
  return dateText(messages.locale, { dateStyle: 'long', timeZone }, at)
}

/** How well it is known is one line, never a warning. */
function standingOf({ linkedApp, signs }: ConsentView): string {
  if (linkedApp !== undefined) return 'consent.linked'
  if (signs.isCertified) return 'consent.standing.certified'
  return signs.isNew ? 'consent.standing.new' : 'consent.standing.known'
}

function choiceOf({ permissionChoice, problem }: ConsentView): ConsentModel['choice'] {
  const hasReason = permissionChoice === 'linked' || permissionChoice === 'everything'
  return {
    isOpen: permissionChoice === 'open',
    ...(hasReason ? { reasonKey: `consent.whole.${permissionChoice}` } : {}),
    isNothingChosen: problem === 'nothing_chosen',
  }
}

/** SPEC: oauth.md 5.2 - the warning stands on every page but that of an app of the space itself. */
function targetOf({ redirectUri, linkedApp }: ConsentView): ConsentModel['target'] {
  const { key, values, isWarning } = redirectTarget(redirectUri)
  if (!isWarning || linkedApp !== undefined) return { key, values }
  const isWeb = key === 'consent.target.web'
  return { key, values, claimKey: `consent.target.claim${isWeb ? '' : '.program'}` }
}

/** 1 to 6: the same name has the same colour. */
export function colourOf(name: string): number {
  let sum = 0
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 997
  return (sum % COLOURS) + 1
}

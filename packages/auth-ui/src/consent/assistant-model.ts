import {
  type AssistantView,
  type KindGroup,
  kindGroupOf,
  type Permission,
  type Right,
  rightsOf,
  serializeScope,
} from '@svc/oauth-core'
import { dateText } from '@svc/platform'
import { type Isolated, isolated, leftToRight } from '../messages.ts'
import { initialsOf } from '../views.ts'
import { unnamedWords } from './client-name.ts'
import { type ConsentGroup, consentGroups, type ConsentItem } from './consent-groups.ts'
import { colourOf, type ConsentOptions } from './consent-model.ts'
import { imitated } from './look-alike.ts'
import { itemOf, type PlacedPermission } from './permission-items.ts'
import { accessOf, type Words } from './permission-words.ts'
import { redirectTarget, webAddress } from './redirect-target.ts'
import { deedClauses } from './sentence.ts'

/** What the template of the assistants' page is given. Texts are catalogue keys with values, or words already. */
export interface AssistantModel {
  readonly titleKey: string
  readonly who: {
    readonly name: Isolated
    /** In the place of the name, which it did not say. */
    readonly unnamed?: Words
    readonly initials: string
    readonly colour: number
    /** Of the document that describes it; absent: nobody checked anything. */
    readonly host?: Isolated
    /** Its name has words of this server in it: what is certain stands before it. */
    readonly isHostFirst: boolean
    readonly formerName?: Isolated
    /** The day when the description was read that cannot be read now. */
    readonly checkedOn?: string
  }
  /** In full, with its port. */
  readonly redirectUri: string
  /** What is worth a second look. */
  readonly notices: readonly Words[]
  /** What was allowed before, and what is new. */
  readonly known: readonly Words[]
  readonly reads: readonly ConsentGroup[]
  readonly writes: readonly WriteItem[]
  /** Fields that let a tick of a write stand for itself: it has none of its group. */
  readonly openGroups: readonly string[]
  readonly isNothingChosen: boolean
  readonly durations: readonly { readonly value: string; readonly isChosen: boolean }[]
  readonly raw: { readonly rules: readonly string[]; readonly clientId: string }
  readonly policyUrl?: string
}

/** A kind of data that more is asked for than to read it. */
export interface WriteItem {
  readonly kind: Words
  /** The host's name for the kind, in its place. */
  readonly name?: string
  readonly limit?: Words
  readonly ticks: readonly WriteTick[]
}

export interface WriteTick {
  readonly name: string
  readonly right: Right
  /** Key of its words: `consent.add`, `consent.change`, `consent.right.change` or `consent.delete`. */
  readonly key: string
  /** The whole of it, for readers. */
  readonly label: string
  /** The owner allowed it before. */
  readonly wasAllowed: boolean
}

/** What is asked of one kind of data: the rules of a resource have one verb each. */
interface Asked {
  readonly permission: Permission
  /** Place of the first of them. */
  readonly place: number
}

const SHORT_LABEL = 3

/** Words for everything the owner decides about an assistant. @see assistants.md 5.2 to 5.4 */
export function assistantModel(view: AssistantView, options: ConsentOptions): AssistantModel {
  const { client, host, checkedAt, permissions, redirectUri, problem } = view
  const { formerName } = client
  const name = client.metadata.client_name
  const asked = byKind(permissions)
  const writes = asked.flatMap((each) => writeOf(each, view, options))
  const policyUrl = webAddress(client.metadata.policy_uri)?.href
  return {
    titleKey: `assistant.title.${writes.length > 0 ? 'change' : 'read'}`,
    who: {
      name: isolated(name),
      ...(client.unnamed === undefined ? {} : { unnamed: unnamedWords({ redirectUri }) }),
      initials: initialsOf(client.unnamed === undefined ? name : '', 2),
      colour: colourOf(name),
      ...(host === undefined ? {} : { host: leftToRight(host) }),
      isHostFirst: imitated(name, options.ownNames) !== undefined,
      ...(formerName === undefined ? {} : { formerName: isolated(formerName) }),
      ...(checkedAt === undefined ? {} : { checkedOn: dateOf(checkedAt, options) }),
    },
    redirectUri,
    notices: noticesOf(view),
    known: knownOf(view, options),
    reads: readsOf(asked, problem === undefined, options),
    writes,
    openGroups: openGroups(asked, options),
    isNothingChosen: problem === 'nothing_chosen',
    durations: view.durations.map((value) => ({ value, isChosen: value === view.duration })),
    raw: {
      rules: permissions.map((permission) => serializeScope([permission])),
      clientId: view.fields['client_id'] ?? client.id,
    },
    ...(policyUrl === undefined ? {} : { policyUrl }),
  }
}

/** Names that a stranger may wear, but not before its host: of the product, the instance, and its domain. */
export function namesOfServer(
  domain: string,
  publicName: string,
  productName: string,
): readonly string[] {
  const [host = ''] = domain.split(':', 1)
  const labels = host.split('.').slice(0, -1)
  return [productName, publicName, host, ...labels.filter(({ length }) => length >= SHORT_LABEL)]
}

function byKind(permissions: readonly Permission[]): readonly Asked[] {
  const kinds = new Map<string, Asked>()
  for (const [place, permission] of permissions.entries()) {
    const key = serializeScope([{ ...permission, verbs: ['GET'] }])
    const known = kinds.get(key)
    const verbs = [...(known?.permission.verbs ?? []), ...permission.verbs]
    kinds.set(key, { permission: { ...permission, verbs }, place: known?.place ?? place })
  }
  return [...kinds.values()]
}

function readsOf(
  asked: readonly Asked[],
  isTicked: boolean,
  options: ConsentOptions,
): readonly ConsentGroup[] {
  const reads = asked
    .filter(({ permission }) => permission.verbs.includes('GET'))
    .map(
      ({ permission, place }): PlacedPermission => ({
        permission: { ...permission, verbs: ['GET'] },
        place,
        isTicked,
      }),
    )
  return consentGroups(reads, options).map((group) => ({
    ...group,
    items: group.items.map(withoutApp),
  }))
}

/** What has no words here: the ordinary page says what the app does. */
function withoutApp(item: ConsentItem): ConsentItem {
  const { note, ...rest } = item
  if (note?.[0] !== 'consent.unknown') return item
  return { ...rest, kind: ['assistant.unknown', note[1]] }
}

function writeOf(
  { permission, place }: Asked,
  { before }: AssistantView,
  options: ConsentOptions,
): readonly WriteItem[] {
  const { messages } = options
  const item = itemOf({ permission, place, isTicked: false }, options)
  const { kind, name, limit, note } = item
  const words: Words = note?.[0] === 'consent.unknown' ? ['assistant.unknown', note[1]] : kind
  const spoken = name ?? messages.text(...kind)
  const ticks = rightsOf(permission)
    .filter((right) => right !== 'read')
    .map((right): WriteTick => {
      const key = keyOf(right, permission)
      return {
        name: `permission-${place}-${right}`,
        right,
        key,
        label: messages.text('consent.right.of', { right: messages.text(key), kind: spoken }),
        wasAllowed: wasAllowed(before?.permissions ?? [], permission, right),
      }
    })
  if (ticks.length === 0) return []
  const named = name === undefined ? {} : { name }
  return [{ kind: words, ...named, ...(limit === undefined ? {} : { limit }), ticks }]
}

function keyOf(right: Right, permission: Permission): string {
  if (right === 'delete') return 'consent.delete'
  const icons = accessOf(permission.verbs).flatMap(({ kind, icon }) =>
    kind === 'change' ? [icon] : [],
  )
  return icons.length > 1 ? 'consent.right.change' : `consent.${icons[0] ?? 'change'}`
}

/** Whether all that a box stands for was allowed: one that stands for adding and changing is not known for adding alone. */
function wasAllowed(before: readonly Permission[], permission: Permission, right: Right): boolean {
  const { type, verbs } = permission
  const had = before.filter((one) => one.type === type).flatMap((one) => one.verbs)
  return verbs
    .filter((verb) => rightsOf({ verbs: [verb] }).includes(right))
    .every((verb) => had.includes(verb))
}

/** The boxes of a group belong to what is read; those of what is written stand alone. */
function openGroups(
  asked: readonly Asked[],
  { namespace }: Pick<ConsentOptions, 'namespace'>,
): readonly string[] {
  const fields = asked.flatMap(({ permission }) => {
    const group: KindGroup = kindGroupOf(permission.type, namespace)
    return rightsOf(permission).flatMap((right) =>
      right === 'read' ? [] : [`group-${group}-${right}`],
    )
  })
  return [...new Set(fields)]
}

function noticesOf({ client, host, redirectUri, signs }: AssistantView): readonly Words[] {
  if (signs.leavesTo === 'program')
    return [[client.unnamed === undefined ? 'assistant.local' : 'assistant.local.unnamed', {}]]
  const { key, values } = redirectTarget(redirectUri)
  if (host === undefined || key !== 'consent.target.web') return []
  if (URL.parse(redirectUri)?.hostname === host) return []
  return [['assistant.other', { target: values['host'] ?? '', host: leftToRight(host) }]]
}

function knownOf(
  { before, permissions }: AssistantView,
  options: ConsentOptions,
): readonly Words[] {
  if (before === undefined) return []
  const { at, endsAt, permissions: had } = before
  const clauses = deedClauses(had, options)
  if (endsAt === undefined) return [['assistant.before', { date: dateOf(at, options), clauses }]]
  const held = new Set(had.map((rule) => serializeScope([rule])))
  const added = permissions.filter((rule) => !held.has(serializeScope([rule])))
  const news: Words =
    added.length === 0
      ? ['assistant.nothingNew', {}]
      : ['assistant.new', { clauses: deedClauses(added, options) }]
  return [['assistant.has', { date: momentOf(endsAt, options), clauses }], news]
}

function dateOf(at: number, { messages, timeZone = 'UTC' }: ConsentOptions): string {
  return dateText(messages.locale, { dateStyle: 'long', timeZone }, at)
}

function momentOf(at: number, { messages, timeZone = 'UTC' }: ConsentOptions): string {
  return dateText(messages.locale, { dateStyle: 'long', timeStyle: 'short', timeZone }, at)
}

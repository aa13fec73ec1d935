import type { Permission } from '@svc/oauth-core'
import type { MessageValues, Messages } from '../messages.ts'
import type { KindOptions } from './kind-facts.ts'
import { listFormat } from './list-format.ts'
import { deedsKey, type Thing, thingsOf } from './sentence-things.ts'

/** What the sentence is about. */
export interface Asked {
  /** What is asked; of a known client, what is new. */
  readonly permissions: readonly Permission[]
  /** The client has something already. */
  readonly isKnown: boolean
  /** When its owner allowed what it has: words. */
  readonly allowedOn?: string
}

/** How much of it there is: the first that fits is taken. */
interface Size {
  readonly things: number
  readonly clauses: number
}

const SIZES: readonly Size[] = [
  { things: 3, clauses: 3 },
  { things: 2, clauses: 3 },
  { things: 1, clauses: 3 },
  { things: 1, clauses: 2 },
  { things: 1, clauses: 1 },
]
const LONGEST_ENGLISH = 160
const LONGEST = 200

/** How a thing is put into a clause: as what is added to, or as it is. */
type Form = 'plain' | 'to'

/** What an app could do, in one sentence of the owner's language. @see docs/decisions/0455 */
export function consentSentence(asked: Asked, options: KindOptions): string {
  const { messages } = options
  if (asked.permissions.some(({ type }) => type === '*'))
    return messages.text('consent.sentence.everything')
  const things = thingsOf(asked.permissions, options)
  if (things.length === 0) {
    const date = asked.allowedOn ?? ''
    return messages.text('consent.sentence.known', { date })
  }
  const isEnglish = messages.locale.startsWith('en')
  const longest = isEnglish ? LONGEST_ENGLISH : LONGEST
  return firstWithin(longest, (size) => sentenceOf(things, asked, size, messages))
}

/** Things in words, such as `your files, your notes, and 4 more`. */
export function objectList(
  permissions: readonly Permission[],
  most: number,
  options: KindOptions,
): string {
  return listOf(thingsOf(permissions, options), most, 'plain', options.messages)
}

function sentenceOf(
  things: readonly Thing[],
  { isKnown }: Asked,
  { things: most, clauses: mostClauses }: Size,
  messages: Messages,
): string {
  const onlyReads = things.every((thing) => deedsKey(thing) === 'read')
  if (onlyReads && !isKnown)
    return messages.text('consent.sentence.look', {
      objects: listOf(things, most, 'plain', messages),
    })
  const words = clausesOf(things, onlyReads, { things: most, clauses: mostClauses }, messages)
  return messages.text(isKnown ? 'consent.sentence.new' : 'consent.sentence', { clauses: words })
}

/** What may be done to what: `read and change your files; only read your contacts`. */
export function deedClauses(permissions: readonly Permission[], options: KindOptions): string {
  const things = thingsOf(permissions, options)
  const onlyReads = things.every((thing) => deedsKey(thing) === 'read')
  const { messages } = options
  return firstWithin(LONGEST_ENGLISH, (size) => clausesOf(things, onlyReads, size, messages))
}

/** The most words that are short enough, else the fewest. */
function firstWithin(longest: number, wordsOf: (size: Size) => string): string {
  let words = ''
  for (const size of SIZES) {
    words = wordsOf(size)
    if (words.length <= longest) break
  }
  return words
}

function clausesOf(
  things: readonly Thing[],
  onlyReads: boolean,
  { things: most, clauses: mostClauses }: Size,
  messages: Messages,
): string {
  const clauses = [...byDeeds(things)].sort(([one], [other]) => severity(other) - severity(one))
  const said = clauses.slice(0, mostClauses).map(([deeds, group]) => {
    const key = deeds === 'read' && !onlyReads ? 'readOnly' : deeds
    const form = deeds === 'add' ? 'to' : 'plain'
    return messages.text(`clause.${key}`, { objects: listOf(group, most, form, messages) })
  })
  const hasMore = clauses.length > said.length
  const hasList =
    hasMore ||
    clauses
      .slice(0, mostClauses)
      .some(([deeds, group]) => group.length > 1 || !SINGLE.has(deeds) || isPlural(group))
  if (hasMore) said.push(messages.text('consent.sentence.more'))
  return hasList ? joined(said, messages) : inList(said, messages)
}

/** Clauses with one verb: joined by "and" they stay clear. */
const SINGLE: ReadonlySet<string> = new Set(['read', 'add', 'change', 'delete'])

function isPlural(group: readonly Thing[]): boolean {
  return group.some(({ count }) => count > 1)
}

function byDeeds(things: readonly Thing[]): ReadonlyMap<string, readonly Thing[]> {
  const groups = new Map<string, Thing[]>()
  for (const thing of things) {
    const key = deedsKey(thing)
    groups.set(key, [...(groups.get(key) ?? []), thing])
  }
  return groups
}

/** Delete before change before read; of two that delete, the one that may do more. */
function severity(deeds: string): number {
  const has = (deed: string): boolean => deeds.toLowerCase().includes(deed)
  const points: readonly (readonly [string, number])[] = [
    ['delete', 8],
    ['change', 4],
    ['add', 2],
    ['read', 1],
  ]
  return points.reduce((sum, [deed, worth]) => sum + (has(deed) ? worth : 0), 0)
}

/** What does not fit is named by its group, else counted. */
function listOf(things: readonly Thing[], most: number, form: Form, messages: Messages): string {
  const rest = things.slice(most)
  const [first] = rest
  const say = (key: string, values?: MessageValues): string => put(messages, form, key, values)
  const words = things.slice(0, most).map((thing) => {
    if (thing.phrase === undefined) return say('object.unnamed', { count: thing.count })
    if (!thing.isPart) return say(...thing.phrase)
    const object = messages.text(thing.phrase[0], { ...thing.phrase[1], form: 'of' })
    return say('object.some', { object })
  })
  if (first === undefined) return inList(words, messages)
  const key = `group.${first.group}.rest`
  const isGroup = rest.length > 1 && rest.every(({ group }) => group === first.group)
  const count = rest.reduce((sum, thing) => sum + thing.count, 0)
  words.push(isGroup && messages.has(key) ? say(key) : say('object.more', { count }))
  return inList(words, messages)
}

/** A phrase in the form that its clause asks for. */
function put(messages: Messages, form: Form, key: string, values: MessageValues = {}): string {
  const object = messages.text(key, { ...values, form })
  return form === 'to' ? messages.text('object.to', { object }) : object
}

function inList(words: readonly string[], { locale }: Messages): string {
  return listFormat(locale).format(words)
}

/** Clauses one after the other, with the mark of the language between them. */
function joined([first = '', ...rest]: readonly string[], messages: Messages): string {
  return rest.reduce(
    (all, next) => messages.text('consent.sentence.join', { first: all, rest: next }),
    first,
  )
}

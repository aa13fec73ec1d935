import type { Permission } from '@svc/oauth-core'
import type { MessageValues, Messages } from '../messages.ts'
import type { KindOptions } from './kind-facts.ts'
import { listFormat } from './list-format.ts'
import { deedsKey, kindsOf, severity, type Thing, thingsOf } from './sentence-things.ts'

/** What the sentence is about. */
export interface Asked {
  /** What is asked; of a known client, what is new. */
  readonly permissions: readonly Permission[]
  /** The client has something already. */
  readonly isKnown: boolean
  /** When its owner allowed what it has: words. */
  readonly allowedOn?: string
}

/** What stands in one clause: all that the same can be done to. */
type Clause = readonly [deeds: string, things: readonly Thing[]]

const MOST_CLAUSES = 4
const MOST_NAMED = 3
/** How many are named, the first that fits. */
const SIZES = [3, 2, 1] as const
const LONGEST_ENGLISH = 160
const LONGEST = 220
/** The worst that can be done to a kind, worst first. */
const WORST = ['delete', 'change', 'add', 'read'] as const

/** How a thing is put into a clause: as what is added to, or as it is. */
type Form = 'plain' | 'to'

/** What an app can do, in one or two sentences of the owner's language. @see docs/decisions/0455 */
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
  return firstWithin(isEnglish ? LONGEST_ENGLISH : LONGEST, sentencesOf(things, asked, options))
}

/** Things in words, such as `your files, your notes, and 4 more kinds of data`. */
export function objectList(
  permissions: readonly Permission[],
  most: number,
  options: KindOptions,
): string {
  return listOf(thingsOf(permissions, options), most, 'plain', options.messages)
}

/** What may be done to what: `read and change your files; only read your contacts`. */
export function deedClauses(permissions: readonly Permission[], options: KindOptions): string {
  const clauses = clausesOf(thingsOf(permissions, options))
  return firstWithin(LONGEST_ENGLISH, [
    ...sizesOf(clauses).map((most) => namedClauses(clauses, most, options.messages)),
    ...(clauses.length === 1
      ? []
      : [countedClauses(kindsOf(permissions, options), 'object.kinds', options.messages)]),
  ])
}

/** The same with more words before fewer: everything is named, or else counted. */
function* sentencesOf(
  things: readonly Thing[],
  { permissions, isKnown }: Asked,
  options: KindOptions,
): Generator<string> {
  const { messages } = options
  const clauses = clausesOf(things)
  const onlyReads = clauses.every(([deeds]) => deeds === 'read')
  for (const most of sizesOf(clauses))
    yield onlyReads && !isKnown
      ? messages.text('consent.sentence.look', { objects: listOf(things, most, 'plain', messages) })
      : messages.text(isKnown ? 'consent.sentence.new' : 'consent.sentence', {
          clauses: namedClauses(clauses, most, messages),
        })
  if (clauses.length === 1) return
  const kinds = kindsOf(permissions, options)
  const counted = messages.text(isKnown ? 'consent.sentence.new.many' : 'consent.sentence.many', {
    count: kinds.length,
    clauses: countedClauses(kinds, 'object.ofThem', messages),
  })
  const sensitive = kinds.filter(({ rank, phrase }) => rank === 0 && phrase !== undefined)
  for (const most of sensitive.length === 0 ? [] : SIZES) {
    const objects = listOf(sensitive.slice(0, most), most, 'plain', messages)
    yield `${counted} ${messages.text('consent.sentence.sensitive', { objects })}`
  }
  yield counted
}

/** The most words that are short enough, else the fewest. */
function firstWithin(longest: number, candidates: Iterable<string>): string {
  let words = ''
  for (words of candidates) if (words.length <= longest) break
  return words
}

/** How many things a clause may name. Only a single clause leaves things out: of several, nobody could tell which. */
function sizesOf(clauses: readonly Clause[]): readonly number[] {
  if (clauses.length === 1) return SIZES
  const fits =
    clauses.length <= MOST_CLAUSES && clauses.every(([, things]) => things.length <= MOST_NAMED)
  return fits ? [MOST_NAMED] : []
}

/** The worst first. */
function clausesOf(things: readonly Thing[]): readonly Clause[] {
  const clauses = new Map<string, Thing[]>()
  for (const thing of things) {
    const key = deedsKey(thing)
    clauses.set(key, [...(clauses.get(key) ?? []), thing])
  }
  return [...clauses].sort(([, [one]], [, [other]]) => severityOf(other) - severityOf(one))
}

function severityOf(thing: Thing | undefined): number {
  return thing === undefined ? 0 : severity(thing)
}

function namedClauses(clauses: readonly Clause[], most: number, messages: Messages): string {
  const onlyReads = clauses.every(([deeds]) => deeds === 'read')
  const said = clauses.map(([deeds, things]) => {
    const key = deeds === 'read' && !onlyReads ? 'readOnly' : deeds
    return clause(key, listOf(things, most, formOf(key), messages), messages)
  })
  const hasList = clauses.some(
    ([deeds, things]) => things.length > 1 || !SINGLE.has(deeds) || isPlural(things),
  )
  return hasList ? joined(said, messages) : inList(said, messages)
}

/** `delete 13 kinds of data, add to 13 and only read 14`. @param firstKey what the first number counts */
function countedClauses(kinds: readonly Thing[], firstKey: string, messages: Messages): string {
  const said: string[] = []
  for (const deed of WORST) {
    const count = kinds.filter((kind) => worstOf(kind) === deed).length
    if (count === 0) continue
    const key = deed === 'read' && said.length > 0 ? 'readOnly' : deed
    const objectKey = said.length === 0 ? firstKey : 'object.others'
    said.push(clause(key, put(messages, formOf(key), objectKey, { count }), messages))
  }
  return inList(said, messages)
}

function worstOf(deeds: Thing): string | undefined {
  return WORST.find((deed) => deeds[deed])
}

function clause(key: string, objects: string, messages: Messages): string {
  return messages.text(`clause.${key}`, { objects })
}

function formOf(clauseKey: string): Form {
  return clauseKey === 'add' ? 'to' : 'plain'
}

/** Clauses with one verb: joined by "and" they stay clear. */
const SINGLE: ReadonlySet<string> = new Set(['read', 'add', 'change', 'delete'])

function isPlural(group: readonly Thing[]): boolean {
  return group.some(({ count }) => count > 1)
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

import { type KindGroup, kindGroupOf, type Permission } from '@svc/oauth-core'
import { isSensitive, type KindOptions, type Phrase, phraseOf } from './kind-facts.ts'

/** What can be done to a thing, as a sentence says it: adding stands by itself only where nothing can be changed. */
export interface Deeds {
  readonly read: boolean
  readonly add: boolean
  readonly change: boolean
  readonly delete: boolean
}

/** Something that the sentence names, and what could be done to it. */
export interface Thing extends Deeds {
  /** Absent: there is no name for it here. */
  readonly phrase?: Phrase
  readonly group: KindGroup
  /** Only some of it. */
  readonly isPart: boolean
  /** How many kinds of data it stands for. */
  readonly count: number
  /** Smaller stands first: sensitive, without a name, everything else. */
  readonly rank: number
}

/** One thing for each name, with all that the rules allow for it; what is worst first. */
export function thingsOf(
  permissions: readonly Permission[],
  options: KindOptions,
): readonly Thing[] {
  const things = new Map<string, Thing>()
  const unnamed = new Map<string, Set<string>>()
  for (const permission of permissions) {
    const thing = thingOf(permission, options)
    // Two kinds may have the same name: they are one thing to whoever reads it.
    const name = thing.phrase && options.messages.text(...thing.phrase)
    const key = JSON.stringify([name ?? deedsKey(thing), name === undefined, thing.isPart])
    const known = things.get(key)
    if (thing.phrase !== undefined) {
      things.set(key, known === undefined ? thing : { ...known, ...either(known, thing) })
      continue
    }
    const types = (unnamed.get(key) ?? new Set()).add(permission.type)
    unnamed.set(key, types)
    things.set(key, { ...thing, count: types.size })
  }
  return withoutRepeats([...things.values()]).sort((one, other) => one.rank - other.rank)
}

/** One thing for each kind of data, with all that the rules allow for it; sensitive and worst first. */
export function kindsOf(
  permissions: readonly Permission[],
  options: KindOptions,
): readonly Thing[] {
  const kinds = new Map<string, Thing>()
  for (const permission of permissions) {
    const thing = thingOf(permission, options)
    const key = thing.phrase ? options.messages.text(...thing.phrase) : permission.type
    const known = kinds.get(key)
    const isPart = thing.isPart && known?.isPart !== false
    kinds.set(key, known === undefined ? thing : { ...known, ...either(known, thing), isPart })
  }
  return [...kinds.values()].sort(
    (one, other) => one.rank - other.rank || severity(other) - severity(one),
  )
}

function thingOf(permission: Permission, options: KindOptions): Thing {
  const { type, verbs, values } = permission
  const phrase = phraseOf(type, options)
  const change = verbs.includes('PUT') || verbs.includes('PATCH')
  return {
    ...(phrase === undefined ? {} : { phrase }),
    group: kindGroupOf(type, options.namespace),
    isPart: phrase !== undefined && values !== undefined && values.length > 0,
    count: 1,
    rank: isSensitive(type, options) ? 0 : phrase === undefined ? 1 : 2,
    read: verbs.includes('GET'),
    add: verbs.includes('POST') && !change,
    change,
    delete: verbs.includes('DELETE'),
  }
}

/** The same thing in two rules: whoever may change it may also add to it. */
function either(one: Deeds, other: Deeds): Deeds {
  const change = one.change || other.change
  return {
    read: one.read || other.read,
    add: !change && (one.add || other.add),
    change,
    delete: one.delete || other.delete,
  }
}

/** Some of a thing says nothing new where the same is allowed for all of it. */
function withoutRepeats(things: readonly Thing[]): Thing[] {
  return things.filter(
    (part) => !part.isPart || !things.some((whole) => !whole.isPart && covers(whole, part)),
  )
}

function covers(whole: Thing, part: Thing): boolean {
  return (
    JSON.stringify(whole.phrase) === JSON.stringify(part.phrase) &&
    deedsKey({ ...whole, ...either(whole, part) }) === deedsKey(whole)
  )
}

/** Name of the clause that says it: `readChange`. */
export function deedsKey(deeds: Deeds): string {
  const done = (['read', 'add', 'change', 'delete'] as const).filter((deed) => deeds[deed])
  return done.map((deed, at) => (at === 0 ? deed : capital(deed))).join('')
}

/** Delete before change before read; of two that delete, the one that may do more. */
export function severity(deeds: Deeds): number {
  return (
    (deeds.delete ? 8 : 0) + (deeds.change ? 4 : 0) + (deeds.add ? 2 : 0) + (deeds.read ? 1 : 0)
  )
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

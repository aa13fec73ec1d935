import { KINDS } from './kinds.ts'

const VERBS = [
  '',
  ':GET',
  ':GET',
  ':GET',
  ':POST',
  ':GET,POST',
  ':GET,PUT,PATCH',
  ':GET,POST,PUT',
  ':DELETE',
  ':GET,DELETE',
  ':PUT',
  ':POST,DELETE',
  ':PUT,DELETE',
  ':GET,POST,DELETE',
] as const

/** The same scopes each time: of 1 to 12 rules, each kind and each set of verbs among them. */
export function generatedScopes(count: number): readonly string[] {
  let seed = 7
  const below = (limit: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return (seed >> 8) % limit
  }
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item
  return Array.from({ length: count }, (_, at) => {
    const rules = new Map<string, string>()
    // The first go through the kinds, so that each is there.
    rules.set(KINDS[at % KINDS.length] as string, pick(VERBS))
    const more = at < 40 ? at % 3 : below(12)
    while (rules.size <= more) rules.set(pick(KINDS), pick(VERBS))
    return [...rules]
      .map(([kind, verbs]) => {
        const isPart = verbs !== '' && !kind.includes('*') && below(8) === 0
        return `${kind}${verbs}${isPart ? ':dir0,dir1' : ''}`
      })
      .join(' ')
  })
}

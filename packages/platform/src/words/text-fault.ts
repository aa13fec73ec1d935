/** What is read of a parsed ICU message; the types of its parser are a wider union. */
export interface MessageNode {
  readonly type: number
  readonly value: string
  readonly options?: Readonly<Record<string, { readonly value: readonly MessageNode[] }>>
}

/** Parses an ICU message. @throws when it is none */
export type ParseMessage = (text: string, locale: string) => readonly MessageNode[]

/** What a placeholder is written as. */
type Kind = 'date' | 'number' | 'plural' | 'select' | 'text' | 'time'

/** By the numbers of the parser. */
const KINDS: ReadonlyMap<number, Kind> = new Map([
  [1, 'text'],
  [2, 'number'],
  [3, 'date'],
  [4, 'time'],
  [5, 'select'],
  [6, 'plural'],
])
/** A select on this name asks for a case of grammar: languages that have cases use it, whatever English does. */
const GRAMMAR = 'form'
const MARKUP = /<[a-z!/]/iu

/**
 * What is wrong with a text that stands in the place of one of ours; undefined: nothing. It has the same placeholders,
 * since who asks for what is said by them, and it is no markup.
 */
export function textFault(
  text: string,
  ours: string,
  { locale, parse }: { readonly locale: string; readonly parse: ParseMessage },
): string | undefined {
  if (text.trim() === '') return 'must not be empty'
  if (MARKUP.test(text)) return 'must not hold HTML'
  const found = placeholdersOf(text, locale, parse)
  if (found === undefined) return 'is no ICU message'
  const expected = placeholdersOf(ours, 'en', parse)
  const extra = [...found.keys()].filter((name) => expected?.has(name) === false)
  if (extra.length > 0) return `has placeholders that the text does not have: ${listed(extra)}`
  const lacking = [...(expected?.keys() ?? [])].filter((name) => !found.has(name))
  if (lacking.length > 0) return `lacks placeholders: ${listed(lacking)}`
  const misused = [...found].filter(([name, kinds]) => !fits(kinds, expected?.get(name)))
  if (misused.length === 0) return undefined
  return `uses placeholders as what they are not: ${listed(misused.map(([name]) => name))}`
}

/** The placeholders of a text, with the ways each is used; undefined when the text is no ICU message. */
function placeholdersOf(
  text: string,
  locale: string,
  parse: ParseMessage,
): ReadonlyMap<string, ReadonlySet<Kind>> | undefined {
  const found = new Map<string, Set<Kind>>()
  const visit = (nodes: readonly MessageNode[]): void => {
    for (const { type, value, options } of nodes) {
      const kind = KINDS.get(type)
      if (kind !== undefined && !(kind === 'select' && value === GRAMMAR))
        found.set(value, (found.get(value) ?? new Set()).add(kind))
      for (const option of Object.values(options ?? {})) visit(option.value)
    }
  }
  try {
    visit(parse(text, locale))
    return found
  } catch {
    return undefined
  }
}

/** Whether what fills the placeholder can be written in these ways, too: a name is no number. */
function fits(kinds: ReadonlySet<Kind>, ours: ReadonlySet<Kind> = new Set()): boolean {
  const isNumber = ours.has('number') || ours.has('plural')
  return [...kinds].every(
    (kind) =>
      kind === 'text' || ours.has(kind) || (isNumber && (kind === 'number' || kind === 'plural')),
  )
}

function listed(names: readonly string[]): string {
  return names.map((name) => `{${name}}`).join(', ')
}

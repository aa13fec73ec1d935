/** A tag of a page, with its attributes as a browser reads them. */
export interface Tag {
  readonly name: string
  readonly isEnd: boolean
  readonly attributes: ReadonlyMap<string, string>
  /** Where it begins and ends in the page. */
  readonly at: number
  readonly end: number
}

/** A form of a page, with the tags that begin inside it. */
export interface ShownForm {
  readonly attributes: ReadonlyMap<string, string>
  readonly tags: readonly Tag[]
}

const TAG = /<(\/?)([a-zA-Z][\w-]*)((?:"[^"]*"|'[^']*'|[^'">])*)>/gu
const ATTRIBUTE = /([^\s=/"'>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/gu
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

/** The tags of a page, in order. */
export function tagsOf(html: string): readonly Tag[] {
  return [...html.matchAll(TAG)].map((match) => {
    const [whole, slash = '', name = '', rest = ''] = match
    const attributes = [...rest.matchAll(ATTRIBUTE)].map(
      ([, key = '', double, single, bare]) =>
        [key.toLowerCase(), decodeText(double ?? single ?? bare ?? '')] as const,
    )
    return {
      name: name.toLowerCase(),
      isEnd: slash !== '',
      attributes: new Map(attributes),
      at: match.index,
      end: match.index + whole.length,
    }
  })
}

/** The forms of a page. */
export function formsIn(tags: readonly Tag[]): readonly ShownForm[] {
  return tags.flatMap((tag, start) => {
    if (tag.name !== 'form' || tag.isEnd) return []
    const end = tags.findIndex((it, at) => at > start && it.name === 'form' && it.isEnd)
    const inside = tags.slice(start + 1, end === -1 ? undefined : end)
    return [{ attributes: tag.attributes, tags: inside.filter(({ isEnd }) => !isEnd) }]
  })
}

/** The words of a page, without those of its head, scripts and styles. */
export function wordsOf(html: string): string {
  const body = html.replace(/<(head|script|style|noscript)\b[\s\S]*?<\/\1>/giu, ' ')
  return decodeText(body.replace(TAG, ' ')).replace(/\s+/gu, ' ')
}

function decodeText(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|([a-z]+));/giu, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES.get(String(name)) ?? whole
    return String.fromCodePoint(Number.parseInt(decimal ?? hex, decimal === undefined ? 16 : 10))
  })
}

/** A sign that ends something: inside of addresses and times there is no space after it. */
const SIGN = /(?<before>.?)(?<sign>[:;?!»])(?=[\s\u00a0\u202f.,)}]|$)/gmu
const OPENING = /«(?<after>.?)/gmu

/** Before `:` and inside of guillemets a no-break space, before `;`, `?` and `!` a narrow one. */
const BEFORE: Readonly<Record<string, string>> = {
  ':': '\u00a0',
  '»': '\u00a0',
  ';': '\u202f',
  '?': '\u202f',
  '!': '\u202f',
}

/** Places of a French text whose spaces are not those that careful typography has. */
export function frenchFaults(text: string): readonly string[] {
  const signs = [...text.matchAll(SIGN)].filter(
    ({ groups }) => groups?.['before'] !== BEFORE[groups?.['sign'] ?? ''],
  )
  const quotes = [...text.matchAll(OPENING)].filter(({ groups }) => groups?.['after'] !== '\u00a0')
  return [...signs, ...quotes].map(({ index }) => text.slice(Math.max(0, index - 12), index + 3))
}

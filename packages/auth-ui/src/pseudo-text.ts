const ACCENTED: ReadonlyMap<string, string> = new Map(
  [...'aceinouyACEINOUY'].map((letter, at) => [letter, [...'áçéíñóúýÁÇÉÍÑÓÚÝ'][at] ?? letter]),
)
const GROWTH = 0.4

/** The words of a text with accents, two fifths longer and in brackets: what is cut off, or not translated, shows. */
export function pseudoText(text: string): string {
  const words = text.trim()
  if (words === '') return text
  const accented = [...text].map((letter) => ACCENTED.get(letter) ?? letter).join('')
  const start = accented.length - accented.trimStart().length
  const end = accented.trimEnd().length
  const padding = '~'.repeat(Math.ceil(words.length * GROWTH))
  return `${accented.slice(0, start)}[${accented.slice(start, end)} ${padding}]${accented.slice(end)}`
}

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/** How many of each list, the most used first: what the weight of a page leaves room for. */
const LISTS: readonly (readonly [main: string, file: string, howMany: number])[] = [
  [require.resolve('@zxcvbn-ts/language-common'), 'passwords', 1500],
  [require.resolve('@zxcvbn-ts/language-en'), 'commonWords', 1950],
  [require.resolve('@zxcvbn-ts/language-fr'), 'commonWords', 550],
  [require.resolve('@zxcvbn-ts/language-de'), 'commonWords', 550],
  [require.resolve('@zxcvbn-ts/language-es-es'), 'commonWords', 550],
]
/** Shorter words are found by trying every letter as fast as by a list. */
const MIN_WORD_CHARS = 4
/** Within these places the words are sorted: a rank says how many words are tried, not which one comes before. */
const BUCKET_ENDS = [300, 1000, 3000] as const

/** As words are compared: no accents, no capitals. The pages fold in the same way, in `strength.js`. */
export function folded(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')
}

/** Passwords that people use, and words of the four languages, from the most used on. */
export function rankedWords(): readonly string[] {
  const lists = LISTS.map(([main, file, howMany]) => usable(readList(main, file), howMany))
  const found = new Set<string>()
  for (let at = 0; lists.some((list) => at < list.length); at += 1) {
    for (const list of lists) {
      const word = list[at]
      if (word !== undefined) found.add(word)
    }
  }
  const words = [...found]
  const starts = [0, ...BUCKET_ENDS]
  return starts.flatMap((start, bucket) => words.slice(start, BUCKET_ENDS[bucket]).sort())
}

/** What each word shares with the one before, as a capital letter, then the rest: half the bytes. */
export function packed(words: readonly string[]): string {
  let before = ''
  return words
    .map((word) => {
      let shared = 0
      while (shared < 25 && shared < before.length && before[shared] === word[shared]) shared += 1
      before = word
      return String.fromCharCode(65 + shared) + word.slice(shared)
    })
    .join('')
}

function usable(list: readonly string[], howMany: number): readonly string[] {
  const words = list.map(folded).filter((word) => /^[a-z0-9]+$/u.test(word))
  return words.filter((word) => word.length >= MIN_WORD_CHARS).slice(0, howMany)
}

function readList(main: string, file: string): readonly string[] {
  const path = join(dirname(main), '..', 'src', `${file}.json`)
  // The lists of these packages are arrays of words, numbers among them.
  return (JSON.parse(readFileSync(path, 'utf8')) as readonly unknown[]).map(String)
}

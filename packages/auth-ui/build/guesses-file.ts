import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundled } from './bundled.ts'
import { FAMOUS_PHRASES } from './famous-phrases.ts'
import { folded, packed, rankedWords } from './word-lists.ts'

const require = createRequire(import.meta.url)
const COLUMNS = [
  'qaz wsx edc rfv tgb yhn ujm',
  'qay wsx edc rfv tgb zhn ujm',
  'aqw zsx edc rfv tgb yhn uj',
]
const KEYBOARDS = ['qwerty', 'qwertz', 'azerty', 'keypad']

/** The file that the pages load, in the kit. */
export const GUESSES_PATH: string = fileURLToPath(
  new URL('../app-kit/_kit/guesses.js', import.meta.url),
)

const BANNER = `/*!
 * Made by packages/auth-ui/build/main.ts: how hard a passphrase is to guess.
 * @zxcvbn-ts/core, language-common, language-en, language-fr, language-de, language-es-es (MIT); word frequencies from
 * OpenSubtitles 2024 via OPUS, Helsinki-NLP (ODC-BY). Their notices are in app-kit/guesses.LICENSE.txt.
 */`

/** What the file has to hold. */
export function guessesFile(): Promise<string> {
  return bundled('guesses-entry.ts', BANNER, {
    PACKED_WORDS: JSON.stringify(packed(rankedWords())),
    PHRASES: JSON.stringify([...FAMOUS_PHRASES.map(squeezed), ...columnWalks()].join(' ')),
    GRAPHS: JSON.stringify(keyboards()),
  })
}

/** The form in which the pages look for phrases. */
function squeezed(phrase: string): string {
  return folded(phrase).replaceAll(/[^\p{L}\p{N}]+/gu, '')
}

/** Down the columns of a keyboard, one beside the other: the rows are in the graphs. */
function columnWalks(): readonly string[] {
  return COLUMNS.flatMap((layout) => {
    const columns = layout.split(' ')
    const walks = columns.flatMap((_column, from) =>
      columns.slice(from + 2).map((_end, more) => columns.slice(from, from + more + 3)),
    )
    return walks.flatMap((walk) => [
      walk.join(''),
      walk.map((column) => `${columns.indexOf(column) + 1}${column}`).join(''),
    ])
  })
}

function keyboards(): object {
  const main = require.resolve('@zxcvbn-ts/language-common')
  const path = join(dirname(main), '..', 'src', 'adjacencyGraphs.json')
  const all = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, object>>
  return Object.fromEntries(KEYBOARDS.map((name) => [name, all[name]]))
}

import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isMade, ROOT } from './document.ts'

const SPEC = 'docs/spec'
const AREAS =
  'seed|security|oauth|login|connectors|realtime|notifications|clients|operation|owner|assistants|embedding'
const SPACE = String.raw`[ \t]*(?:\n[ \t]*(?:\*|//|#)?)?[ \t]+`
const NUMBER = String.raw`K?\d+(?:\.\d+)*`
/** A list of numbers: `4.7`, `4.3 to 4.5`, `6.1 (3), 8.2`, `1, rule 20`. */
const NUMBERS = String.raw`${NUMBER}(?:(?:,| to| and)? \((?:number |rule )?\d+\)|(?:,| to| and)?${SPACE}(?:(?:rule|row|rank|step|number|item)s? )?${NUMBER})*`
const CITATION = new RegExp(
  String.raw`(?<![\w/-])(?:docs/spec/)?(${AREAS})\.md\x60?(?:${SPACE}(${NUMBERS})(?![\w%])|,?${SPACE}"([^"\n]+)")`,
  'g',
)
const PART = new RegExp(
  String.raw`(,| to| and)?\s*(?:(?:\*|//|#)\s*)?(?:\((?:number |rule )?(\d+)\)|(?:(rule|row|rank|step|number|item)s? )?(${NUMBER}))`,
  'g',
)
const DECISION = /(?<![\w%#+/.-])D([1-9]\d{0,2})\b(?![-.]\w)/g
const WITHIN = /(?<!RFC \d{4} )§(\d+(?:\.\d+)*)/g

/** A file of the specification: its sections by number, their text, and the titles of its headings. */
interface Area {
  readonly sections: ReadonlyMap<string, string>
  readonly titles: readonly string[]
  readonly text: string
}

/** Citations of the specification that lead to no section, item or decision of `docs/spec`. */
export function citationFaults(): string[] {
  const areas = new Map(AREAS.split('|').map((name) => [name, readArea(name)]))
  const decisions = new Set(
    [...read(`${SPEC}/decisions.md`).matchAll(/^### D(\d+)$/gm)].map(([, number]) => number),
  )
  return sources().flatMap((file) => {
    const text = read(file)
    const own = file.startsWith(`${SPEC}/`) ? areas.get(path.basename(file, '.md')) : undefined
    return [
      ...[...text.matchAll(CITATION)].flatMap((match) =>
        citedIn(match)
          .filter(({ section, item }) => !resolves(areas.get(match[1] ?? ''), section, item))
          .map(({ said }) => fault(file, text, match.index, `${match[1]}.md ${said}`)),
      ),
      ...[...text.matchAll(DECISION)]
        .filter(([, number]) => !decisions.has(number))
        .map((match) => fault(file, text, match.index, match[0])),
      ...(own === undefined ? [] : [...text.matchAll(WITHIN)])
        .filter(([, section = '']) => !resolves(own, section))
        .map((match) => fault(file, text, match.index, match[0])),
    ]
  })
}

interface Cited {
  readonly said: string
  readonly section: string
  readonly item?: string
}

/** What one citation names: each section of its list, and each item (`(3)`, `rules 2 and 7`) of the section before it. */
function citedIn([, , numbers, title]: RegExpMatchArray): Cited[] {
  if (numbers === undefined) return [{ said: `"${title}"`, section: title ?? '' }]
  const cited: Cited[] = []
  let section = ''
  let isList = false
  for (const [, separator, bracketed, word, number = ''] of numbers.matchAll(PART)) {
    isList = word !== undefined || (isList && separator !== undefined && !number.includes('.'))
    if (isList || bracketed !== undefined) {
      const item = bracketed ?? number
      cited.push({ said: `${section}, item ${item}`, section, item })
    } else {
      section = number
      cited.push({ said: number, section })
    }
  }
  return cited
}

function resolves(area: Area | undefined, section: string, item?: string): boolean {
  if (area === undefined) return false
  if (item !== undefined) return hasItem(area.sections.get(section), item)
  if (area.sections.has(section) || area.titles.includes(section)) return true
  const dot = section.lastIndexOf('.')
  return dot < 0
    ? new RegExp(String.raw`^\| ${section} \|`, 'm').test(area.text)
    : hasItem(area.sections.get(section.slice(0, dot)), section.slice(dot + 1), section)
}

/** Whether a section has a numbered line, a row or a rule in brackets of that number. */
function hasItem(text: string | undefined, item: string, section = item): boolean {
  const marks = [item, section].map((mark) => mark.replaceAll('.', String.raw`\.`)).join('|')
  return (
    text !== undefined &&
    new RegExp(String.raw`^(?:\| (?:${marks}) \||(?:${marks})\.? )|\((?:${marks})\) `, 'm').test(
      text,
    )
  )
}

/** Files that this folder does not have (yet) have no sections, so that no citation of them resolves. */
function readArea(name: string): Area | undefined {
  const file = `${SPEC}/${name}.md`
  if (!existsSync(path.join(ROOT, file))) return undefined
  const text = read(file)
  const headings = [...text.matchAll(/^(#+) (?:(\d+(?:\.\d+)*)\.? )?(.*)$|^\*\*(\d+\.\d+) /gm)]
  const sections = headings.flatMap(({ 1: level = '######', 2: number, 4: bold, index }, at) => {
    const label = number ?? bold
    const next = headings
      .slice(at + 1)
      .find((later) => (later[1] ?? '######').length <= level.length)
    return label === undefined ? [] : [[label, text.slice(index, next?.index)] as const]
  })
  return { sections: new Map(sections), titles: headings.map(([, , , title = '']) => title), text }
}

function sources(): string[] {
  return globSync(
    [
      '{packages,examples}/*/*/**/*.{ts,js,njk,css}',
      'docs/build/*.ts',
      '.ci/**/*.{ts,js}',
      '**/*.md',
    ],
    { cwd: ROOT, exclude: isMade },
  ).filter((file) => !/(?:^|\/)(?:node_modules|dist)\//.test(file))
}

function fault(file: string, text: string, at: number, cited: string): string {
  const line = text.slice(0, at).split('\n').length
  return `${file}:${line}: ${cited} is not in ${SPEC}`
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8')
}

import { globSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { IntlMessageFormat } from 'intl-messageformat'
import { type Catalogue, readCatalogue } from '../../src/messages.ts'

/** All texts of one place, by language. */
export interface Texts {
  /** The folder that `locales` is in, from the root of the repository. */
  readonly place: string
  readonly byLocale: ReadonlyMap<string, Catalogue>
}

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const PLACES = ['packages/*/locales', 'packages/*/*/locales', 'examples/*/*/*/locales']

/** Every catalogue of the repository: of pages, mails and apps. */
export function everyCatalogue(): readonly Texts[] {
  const files = globSync(
    PLACES.map((place) => `${place}/*.json`),
    { cwd: ROOT },
  )
    .filter((file) => !/(?:^|\/)(?:dist|node_modules)\//u.test(file))
    .sort()
  const places = [...new Set(files.map((file) => dirname(dirname(file))))]
  return places.map((place) => ({
    place,
    byLocale: new Map(
      files
        .filter((file) => dirname(dirname(file)) === place)
        .map((file) => [basename(file, '.json'), readCatalogue(`${ROOT}/${file}`)]),
    ),
  }))
}

/** What this reads of a parsed text; the library's own type is a wider union. */
interface AstNode {
  readonly type: number
  readonly value: string
  readonly options?: Record<string, { value: AstNode[] }>
}

const LITERAL = 0
const LAST_ARGUMENT = 6
/** A select on this name asks for a case of grammar: only languages that have cases use it. */
const CASE = 'form'

/** Names of the arguments of an ICU text, with the kind of each. */
export function argumentsOf(text: string): readonly string[] {
  const found = new Set<string>()
  const visit = (nodes: readonly AstNode[]): void => {
    for (const node of nodes) {
      if (node.type !== LITERAL && node.type <= LAST_ARGUMENT && node.value !== CASE)
        found.add(`${node.value}:${node.type}`)
      for (const option of Object.values(node.options ?? {})) visit(option.value)
    }
  }
  visit(parsed(text))
  return [...found].sort()
}

/** Every text that an ICU text can become, each argument as one word. */
export function spokenForms(text: string): readonly string[] {
  const visit = (nodes: readonly AstNode[]): string[] =>
    nodes.reduce<string[]>(
      (starts, node) => {
        const ends = node.options
          ? Object.values(node.options).flatMap((option) => visit(option.value))
          : [node.type === LITERAL ? node.value : 'Name']
        return starts.flatMap((start) => ends.map((end) => start + end))
      },
      [''],
    )
  return visit(parsed(text))
}

function parsed(text: string): AstNode[] {
  const format = new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true })
  return format.getAst() as unknown as AstNode[] // See AstNode.
}

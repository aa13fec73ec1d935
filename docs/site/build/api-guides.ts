import type {
  Comment,
  CommentDisplayPart,
  DeclarationReflection,
  ProjectReflection,
  Reflection,
} from 'typedoc'
import { commented, type Export, type Exports, nameOf, partsIn } from './api-exports.ts'
import type { Named } from './uses.ts'

/** Where a reader is sent from an export, as Markdown. */
export interface Leads {
  /** To the pages and examples that use a name. */
  usesOf(named: Named): readonly string[]
  /** To a page of the documents, given as a file from the root; undefined for what is none. */
  pageOf(file: string): string | undefined
}

const MOST_USES = 4
const MOST_WHOLES = 3
const DOCUMENT = /\bdocs\/[\w/-]+\.md\b(?: of the repository)?/g
const RECIPE = /docs\/(?:recipes\/|embedding\.md)/

/**
 * Says of each export how it is used: where its own words have no example, by links to what uses it, or to what it is
 * a part of.
 * @returns exports that are not documented, and those that nothing leads a reader on from
 */
export function guideReaders(project: ProjectReflection, exports: Exports, leads: Leads): string[] {
  const all = [...new Set(exports.values())]
  const shown = shownAlone(project, exports)
  linkDocuments(project, leads)
  const parts = partsIn(project, exports)
  // In the order in which they were reached: a part comes behind what it is a part of.
  const guided = new Set<Export>()
  for (const each of all) {
    const links = [...new Set(each.names.flatMap((named) => leads.usesOf(named)))]
    if (links.length > 0) {
      const text = `Used in: ${links.slice(0, MOST_USES).join(', ')}`
      say(each, { kind: 'text', text })
    }
    if (links.length > 0 || shown.has(each)) guided.add(each)
  }
  const direct = new Set(guided)
  for (const whole of guided) for (const part of parts.get(whole) ?? []) guided.add(part)
  const order = [...guided]
  for (const [at, part] of order.entries()) {
    if (direct.has(part)) continue
    const wholes = order.slice(0, at).filter((whole) => parts.get(whole)?.has(part) === true)
    say(part, ...partOf(wholes.slice(0, MOST_WHOLES)))
  }
  return all.flatMap((each) => [
    ...each.declarations
      .filter((declaration) => commentOf(declaration) === undefined)
      .map(() => `${nameOf(each)} is not documented`),
    ...(guided.has(each) ? [] : [`${nameOf(each)} has no example, and nothing shows its use`]),
  ])
}

/** Exports with an example in their own words, or in those of a member, or with a recipe that they name. */
function shownAlone(project: ProjectReflection, exports: Exports): ReadonlySet<Export> {
  const shown = commented(project, exports).filter(({ comment }) =>
    comment.blockTags.some(
      ({ tag, content }) =>
        tag === '@example' || (tag === '@see' && content.some(({ text }) => RECIPE.test(text))),
    ),
  )
  return new Set(shown.map(({ owner }) => owner))
}

/** Documents that words name by their file are links. */
function linkDocuments(project: ProjectReflection, leads: Leads): void {
  for (const { comment } of Object.values(project.reflections)) {
    const contents = comment?.blockTags.filter(({ tag }) => tag === '@see') ?? []
    for (const part of contents.flatMap(({ content }) => content)) {
      part.text = part.text.replaceAll(
        DOCUMENT,
        (words) => leads.pageOf(words.replace(/ .*$/, '')) ?? words,
      )
    }
  }
}

function say(exported: Export, ...parts: readonly CommentDisplayPart[]): void {
  const comment = exported.declarations.map(commentOf).find((each) => each !== undefined)
  comment?.summary.push({ kind: 'text', text: '\n\n' }, ...parts)
}

function partOf(wholes: readonly Export[]): CommentDisplayPart[] {
  return wholes.flatMap(({ declarations: [target], names: [{ name }] }, at) => [
    { kind: 'text', text: at === 0 ? 'Part of: ' : ', ' },
    { kind: 'inline-tag', tag: '@link', text: name, target },
  ])
}

/** Functions have their words at their signatures, and types of functions in their type. */
function commentOf(exported: DeclarationReflection): Comment | undefined {
  const own: Reflection[] = [exported, ...(exported.signatures ?? [])]
  const { type } = exported
  if (type?.type === 'reflection')
    own.push(type.declaration, ...(type.declaration.signatures ?? []))
  return own.find((reflection) => reflection.hasComment())?.comment
}

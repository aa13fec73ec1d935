import { readFileSync } from 'node:fs'
import path from 'node:path'

export const ROOT = path.resolve(import.meta.dirname, '../../../..')

/** The tour of `docs/tour.md`. A test takes from each step what it says: whatever nobody takes is not tested. */
export interface ReadmeTour {
  readonly steps: readonly ReadmeStep[]
  /** What nobody took yet. */
  untaken(): readonly string[]
}

/** A step of the tour. Each method throws an Error when the step does not say that. */
export interface ReadmeStep {
  readonly title: string
  /** The next command that begins like this behind `npx pnpm@…`. */
  command(beginning: string): string
  /** The next block of lines that appear. */
  shown(): readonly string[]
  /** The address with this end. */
  address(end: string): string
  /** Words of a page, as the tour quotes them. */
  word(quoted: string): string
  /** Anything else that is marked as code. */
  code(text: string): string
}

type Kind = 'command' | 'shown' | 'address' | 'word' | 'code'

interface Item {
  readonly kind: Kind
  readonly text: string
}

const FENCE = /^```(\w*)\n([\s\S]*?)^```$/gm
const COMMAND = /^npx pnpm@[\d.]+ /

/** A document, by its path from the root. */
export function readDocument(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8')
}

/** What is between a heading of the second level and the next one. */
export function sectionOf(markdown: string, heading: string): string {
  const [, section] = markdown.split(new RegExp(`^## ${heading}$`, 'm'))
  if (section === undefined) throw new Error(`the README has no section "${heading}"`)
  return section.split(/^## /m)[0] ?? ''
}

/** Commands of the shell blocks, without what is said about them. */
export function commandsOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(FENCE)]
    .filter(([, language]) => language === 'sh')
    .flatMap(([, , body = '']) => body.trim().split('\n'))
    .map((line) => line.replace(/\s+# .*$/, ''))
}

export function readTour(markdown: string): ReadmeTour {
  const steps = markdown
    .split(/^(?=\*\*\d+\. )/m)
    .slice(1)
    .map(readStep)
  return {
    steps: steps.map(({ step }) => step),
    untaken: () => steps.flatMap(({ untaken }) => untaken()),
  }
}

function readStep(text: string): { readonly step: ReadmeStep; readonly untaken: () => string[] } {
  const [, title = ''] = /^\*\*(\d+\. [^*]*?)\.?\*\*/.exec(text) ?? []
  const items = itemsOf(text)
  const taken = new Set<Item>()

  /** The same words may stand there twice, and are taken with the first. */
  function take(kind: Kind, isMeant: (text: string) => boolean, meant: string): string {
    const fitting = items.filter((item) => item.kind === kind && isMeant(item.text))
    const next = kind === 'shown' ? fitting.find((item) => !taken.has(item)) : fitting[0]
    if (next === undefined) throw new Error(`step "${title}" has no ${kind} ${meant}`)
    for (const item of items) {
      if (item === next || (kind !== 'shown' && item.text === next.text)) taken.add(item)
    }
    return next.text
  }

  const step: ReadmeStep = {
    title,
    command: (beginning) =>
      take('command', (line) => line.replace(COMMAND, '').startsWith(beginning), beginning),
    shown: () => take('shown', () => true, 'left').split('\n'),
    address: (end) => take('address', (url) => url.endsWith(end), end),
    word: (quoted) => take('word', (word) => word === quoted, quoted),
    code: (marked) => take('code', (code) => code === marked, marked),
  }
  const untaken = (): string[] =>
    items
      .filter((item) => !taken.has(item))
      .map((item) => `${title}: ${item.kind} ${JSON.stringify(item.text)}`)
  return { step, untaken }
}

function itemsOf(text: string): readonly Item[] {
  const shown = [...text.matchAll(FENCE)]
    .filter(([, language]) => language === '')
    .map(([, , body = '']): Item => ({ kind: 'shown', text: body.trimEnd() }))
  const commands = commandsOf(text).map((line): Item => ({ kind: 'command', text: line }))
  const prose = text.replace(FENCE, '').replace(/\s+/g, ' ')
  const spans = [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']): Item => {
    if (COMMAND.test(code)) return { kind: 'command', text: code }
    return { kind: /^https?:/.test(code) ? 'address' : 'code', text: code }
  })
  const words = [...prose.replace(/`[^`]+`/g, '').matchAll(/"([^"]+)"/g)]
  return [
    ...shown,
    ...commands,
    ...spans,
    ...words.map(([, word = '']): Item => ({ kind: 'word', text: word })),
  ]
}

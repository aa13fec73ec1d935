import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Document, GENERATED, ROOT } from './document.ts'

const TITLE = /^# (\d{4}) (.*)$/m
const INTRODUCTION =
  'What the specification leaves open and how it is done here, with the reason. Numbers are never used again.'
const MENTION = /OPEN\((\d{4})\)|docs\/decisions\/(\d{4})/g

/** `docs/decisions/README.md`: every decision by its title. */
export function decisionIndex(): Document {
  const lines = decisionFiles().map((name) => {
    const [, number = '', title = ''] = TITLE.exec(read(`docs/decisions/${name}`)) ?? []
    return `- [${number}](${name}) ${title}`
  })
  const parts = ['# Decisions', GENERATED, INTRODUCTION, lines.join('\n')]
  return { file: 'docs/decisions/README.md', content: `${parts.join('\n\n')}\n` }
}

/** Mentions of decisions that are not in `docs/decisions/`, decisions that share a number, and titles without theirs. */
export function decisionFaults(): string[] {
  const files = decisionFiles()
  const decisions = files.map((name) => name.slice(0, 4))
  const untitled = files
    .filter((name) => TITLE.exec(read(`docs/decisions/${name}`))?.[1] !== name.slice(0, 4))
    .map((name) => `docs/decisions/${name} does not begin with "# ${name.slice(0, 4)} <title>"`)
  const twice = decisions.filter((number, at) => decisions.indexOf(number) !== at)
  const sources = globSync(
    ['{packages,examples}/*/{src,test,bench,assets,views,apps}/**/*.{ts,js,njk,css}', '**/*.md'],
    { cwd: ROOT, exclude: (name) => name === 'node_modules' || name === 'dist' },
  )
  const dangling = sources.flatMap((file) =>
    [...read(file).matchAll(MENTION)]
      .map(([, open, named]) => open ?? named ?? '')
      .filter((number) => !decisions.includes(number))
      .map((number) => `${file}: decision ${number} does not exist`),
  )
  return [
    ...twice.map((number) => `docs/decisions: ${number} is there twice`),
    ...untitled,
    ...dangling,
  ]
}

function decisionFiles(): string[] {
  return globSync('docs/decisions/[0-9]*.md', { cwd: ROOT })
    .map((file) => path.basename(file))
    .toSorted()
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8')
}

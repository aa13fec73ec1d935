import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** Scripts of others that are kept here. */
const VENDORED = /(webauthn|guesses)\.js$/
/** `src` of packages and examples, and the scripts that pages load. */
const SOURCE =
  /^(packages|examples)\/[^/]+\/(src\/.*\.ts|(settings-app|home-app|app-kit|assets|apps|store-apps|views)\/.*\.(js|mjs|ts|tsx|jsx))$/
/** Counted apart from sources, so that no code hides there. */
const APART: readonly (readonly [place: string, files: RegExp])[] = [
  ['tests', /^(packages|examples)\/[^/]+\/test\/.*\.(ts|mjs|js)$/],
  ['build scripts', /^(\.ci|docs\/build|packages\/[^/]+\/build)\/.*\.(ts|mjs|js)$/],
  ['faults', /^examples\/[^/]+\/faults\//],
  ['bench', /^examples\/[^/]+\/bench\//],
  ['deploy', /^examples\/[^/]+\/deploy\//],
  ['templates and styles', /^packages\/.*\.(njk|css|liquid)$/],
]
/** Of sources: what is to become rare. */
const HABITS: readonly (readonly [habit: string, pattern: RegExp])[] = [
  [
    'conditional spreads',
    /\.\.\.\((?:[^()]|\([^()]*\))*(?:=== undefined \? \{\}|!== undefined &&)/g,
  ],
  ['casts through unknown', /as unknown as/g],
]
/** Phrases in comments of sources that have to be read twice. */
const IDIOMS: readonly RegExp[] = [
  /\b(?:nobody|whoever|whatever|whomever|somebody)\b/gi,
  /\b(?:is|are|was|were) none\b/gi,
  /\bin the place of\b/gi,
  /\bof before\b/gi,
  /\b(?:is|are|was|were|be) (?:asked|told|said)\b/gi,
  /\bstands? (?:for|behind|in|under|beside|on|there)\b/gi,
  /(?:^|[.:;*/] )What (?:is|are|has|have|was|were|a|an|the|it|one|of|no)\b/gm,
  /\bby (?:itself|themselves)\b/gi,
  /\bthe house\b/gi,
]

/** The weight of each place: code lines, lines of documents, and how often a habit is met. */
export function weigh(root: string): Map<string, number> {
  const weights = new Map<string, number>()
  const add = (place: string, count: number): void => {
    weights.set(place, (weights.get(place) ?? 0) + count)
  }
  for (const file of trackedFiles(root)) {
    const isSource = SOURCE.test(file) && !VENDORED.test(file)
    const apart = APART.filter(([, files]) => files.test(file) && !VENDORED.test(file))
    const isDocument = /^docs\/.*\.md$/.test(file)
    if (!isSource && apart.length === 0 && !isDocument) continue
    const text = readFileSync(path.join(root, file), 'utf8')
    for (const [place] of apart) add(place, codeLines(text))
    if (isDocument) {
      if (/^docs\/decisions\/\d/.test(file)) add('decisions', 1)
      const isGenerated = /Written by|generated/i.test(text.slice(0, 400))
      if (!isGenerated) add('written documents', text.split('\n').length)
    }
    if (!isSource) continue
    add(file.split('/').slice(0, 2).join('/'), codeLines(text))
    for (const [habit, pattern] of HABITS) add(habit, countOf(pattern, text))
    const said = comments(text)
    for (const pattern of IDIOMS) add('idioms in comments', countOf(pattern, said))
  }
  return weights
}

/** Lines that are neither blank nor only a comment. */
export function codeLines(text: string): number {
  let count = 0
  let isComment = false
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (isComment) isComment = !line.includes('*/')
    else if (line.startsWith('/*')) isComment = !line.includes('*/')
    else if (line !== '' && !line.startsWith('//')) count += 1
  }
  return count
}

function comments(text: string): string {
  return [...text.matchAll(/\/\*\*?[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm)]
    .map(([found]) => found)
    .join('\n')
}

function countOf(pattern: RegExp, text: string): number {
  return text.match(pattern)?.length ?? 0
}

/** Those that are not committed yet as well. */
function trackedFiles(root: string): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate']
  const deleted = new Set(lines(['ls-files', '-z', '--deleted']))
  return lines(args).filter((file) => !deleted.has(file))

  function lines(words: readonly string[]): string[] {
    const printed = execFileSync('git', words, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 })
    return printed.split('\0').filter((file) => file !== '')
  }
}

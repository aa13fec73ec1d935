import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './document.ts'

const MENTION = /OPEN\((\d{4})\)|docs\/decisions\/(\d{4})/g

/** Mentions of decisions that are not in `docs/decisions/`, and decisions that share a number. */
export function decisionFaults(): string[] {
  const decisions = globSync('docs/decisions/*.md', { cwd: ROOT }).map((file) =>
    path.basename(file).slice(0, 4),
  )
  const twice = decisions.filter((number, at) => decisions.indexOf(number) !== at)
  const sources = globSync(
    ['{packages,examples}/*/{src,test,bench,assets,views,apps}/**/*.{ts,js,njk,css}', '**/*.md'],
    { cwd: ROOT, exclude: (name) => name === 'node_modules' || name === 'dist' },
  )
  const dangling = sources.flatMap((file) =>
    [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(MENTION)]
      .map(([, open, named]) => open ?? named ?? '')
      .filter((number) => !decisions.includes(number))
      .map((number) => `${file}: decision ${number} does not exist`),
  )
  return [...twice.map((number) => `docs/decisions: ${number} is there twice`), ...dangling]
}

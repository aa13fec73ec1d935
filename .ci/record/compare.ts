import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Part } from './part.ts'

/** Texts by title. A title without texts is known, and what it holds is not the same every time. */
export type Recorded = ReadonlyMap<string, ReadonlySet<string>>

/** What a comparison found. */
export interface Comparison {
  /** Texts that are gone or have changed, and titles that are new. */
  readonly differences: readonly Difference[]
  /** What is recorded under titles that nothing has. */
  readonly absent: readonly Difference[]
  /** Titles that are known, and have texts that are not recorded. */
  readonly unrecorded: readonly string[]
}

interface Difference {
  readonly title: string
  readonly was?: string
  readonly is?: string
}

export function byTitle(parts: readonly Part[]): Recorded {
  const groups = Map.groupBy(parts, ({ title }) => title)
  return new Map([...groups].map(([title, all]) => [title, new Set(all.map(({ text }) => text))]))
}

export function compare(was: Recorded, is: Recorded): Comparison {
  const differences: Difference[] = []
  const absent: Difference[] = []
  const unrecorded: string[] = []
  for (const [title, texts] of was) {
    const now = is.get(title)
    if (now === undefined) {
      absent.push(...[...texts].map((text) => ({ title, was: text })))
      continue
    }
    const fresh = new Set([...now].filter((text) => !texts.has(text)))
    const gone = [...texts].filter((text) => !now.has(text))
    for (const text of gone) {
      const nearest = nearestOf(text, fresh)
      if (nearest !== undefined) fresh.delete(nearest)
      differences.push({ title, was: text, ...(nearest !== undefined && { is: nearest }) })
    }
    if (gone.length === 0 && texts.size > 0 && fresh.size > 0) unrecorded.push(title)
  }
  for (const [title, texts] of is) {
    if (!was.has(title)) differences.push({ title, is: [...texts][0] ?? '' })
  }
  return { differences, absent, unrecorded }
}

/** Of what is new: the text that shares the most lines. */
function nearestOf(text: string, fresh: ReadonlySet<string>): string | undefined {
  const lines = new Set(text.split('\n'))
  const shared = (other: string): number =>
    other.split('\n').filter((line) => lines.has(line)).length
  return [...fresh].toSorted((one, other) => shared(other) - shared(one))[0]
}

/** A unified difference; its hunks name the titles. @returns the lines, and the file that holds all of them */
export function unified(differences: readonly Difference[]): {
  readonly lines: readonly string[]
  readonly file: string
} {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-record-'))
  for (const side of ['was', 'is'] as const) {
    const text = differences.flatMap((one) => {
      const inside = one[side]?.split('\n').map((line) => ` ${line}`)
      return inside === undefined ? [] : [one.title, ...inside]
    })
    writeFileSync(path.join(folder, side), `${text.join('\n')}\n`)
  }
  const args = ['diff', '--no-index', '--no-color', '--unified=2', 'was', 'is']
  const { stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' })
  const file = path.join(folder, 'difference')
  writeFileSync(file, stdout)
  return { lines: stdout.split('\n').slice(4), file }
}

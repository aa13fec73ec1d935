import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './document.ts'

/** A member of an interface, as its source documents it. */
export interface DocumentedMember {
  /** Its comment in one line, tags included. */
  readonly comment: string
  /** Its type as it is written. */
  readonly type: string
  /** Of a type that is written where the member is. */
  readonly members: ReadonlyMap<string, DocumentedMember>
}

/** A type with a name. */
export interface NamedType {
  readonly name: string
  readonly folder: string
  /** What it extends, or stands for. */
  readonly type: string
  readonly members: ReadonlyMap<string, DocumentedMember>
}

/** The interfaces of all packages. Their sources have one form, which the formatter keeps: lines say what belongs where. */
export interface Interfaces {
  /**
   * A member of a type, wherever in it the member is: in the type itself, in what it extends or in what it is a list or
   * a record of.
   * @param folder - of the package whose types come first
   */
  memberOf(folder: string, type: string, name: string): DocumentedMember | undefined
  /** A type of the package. */
  typeOf(folder: string, name: string): NamedType | undefined
  /** Interfaces that the package's `index.ts` exports, by name. */
  exportedBy(folder: string): readonly NamedType[]
  /** A bucket of the package's `DEFAULT_LIMITS`. */
  bucketOf(folder: string, name: string): DocumentedMember | undefined
}

const INTERFACE = /^(?:export )?interface (\w+)([^{]*)\{\n([\s\S]*?)^\}/gm
const ALIAS = /^(?:export )?type (\w+)(?:<[^=]*>)? =\s*([\s\S]*?)(?=\n\n|\n$)/gm
const LIMITS = /^export const DEFAULT_LIMITS: [^=]*= \{\n([\s\S]*?)^\}/m
const DEEPEST = 8

export function readInterfaces(): Interfaces {
  const types = new Map<string, NamedType[]>()
  const limits = new Map<string, ReadonlyMap<string, DocumentedMember>>()
  const add = (name: string, type: NamedType): void => {
    types.set(name, [...(types.get(name) ?? []), type])
  }
  for (const file of globSync('packages/*/src/**/*.ts', { cwd: ROOT })) {
    const folder = file.split(path.sep)[1] ?? ''
    const source = readFileSync(path.join(ROOT, file), 'utf8')
    for (const [, name = '', parents = '', body = ''] of source.matchAll(INTERFACE)) {
      add(name, { name, folder, type: parents, members: readMembers(body.split('\n')) })
    }
    const [, buckets] = LIMITS.exec(source) ?? []
    if (buckets !== undefined) limits.set(folder, readMembers(buckets.split('\n')))
    for (const [, name = '', type = ''] of source.matchAll(ALIAS)) {
      add(name, { name, folder, type, members: new Map() })
    }
  }

  function memberOf(
    folder: string,
    type: string,
    name: string,
    depth = 0,
  ): DocumentedMember | undefined {
    for (const [mentioned] of type.matchAll(/\b[A-Z]\w+/g)) {
      const known = types.get(mentioned) ?? []
      const named = known.find((one) => one.folder === folder) ?? known[0]
      if (named === undefined || depth > DEEPEST) continue
      const found = named.members.get(name) ?? memberOf(named.folder, named.type, name, depth + 1)
      if (found !== undefined) return found
    }
    return undefined
  }

  function exportedBy(folder: string): NamedType[] {
    const names = readFileSync(path.join(ROOT, `packages/${folder}/src/index.ts`), 'utf8')
    return [...types.values()]
      .flat()
      .filter((type) => type.folder === folder && new RegExp(`\\b${type.name}\\b`).test(names))
      .toSorted((one, other) => one.name.localeCompare(other.name))
  }

  return {
    exportedBy,
    typeOf: (folder, name) => types.get(name)?.find((type) => type.folder === folder),
    memberOf: (folder, type, name) => memberOf(folder, type, name),
    bucketOf: (folder, name) => limits.get(folder)?.get(name),
  }
}

/** Members begin in the same column; what is between two of them belongs to the first. */
function readMembers(lines: readonly string[]): ReadonlyMap<string, DocumentedMember> {
  const indent = /^ */.exec(lines.find((line) => line.trim() !== '') ?? '')?.[0] ?? ''
  const start = new RegExp(`^${indent}(?:readonly )?(?:'([^']+)'|(\\w+))\\??(?::|\\()(.*)$`)
  const members = new Map<string, DocumentedMember>()
  let comment: string[] = []
  let current: { name: string; comment: string; lines: string[] } | undefined

  function finish(): void {
    if (current === undefined) return
    const [first = '', ...rest] = current.lines
    const type = [first, ...rest].join(' ').replaceAll(/\/\*\*.*?\*\//g, '')
    const isInline = first.trim().endsWith('{')
    members.set(current.name, {
      comment: current.comment,
      type,
      members: isInline ? readMembers(rest.slice(0, -1)) : new Map(),
    })
    current = undefined
  }

  let isInComment = false
  for (const line of lines) {
    const isOwn = line.startsWith(indent) && !line.startsWith(`${indent} `)
    if (isInComment || (isOwn && line.trim().startsWith('/**'))) {
      if (!isInComment) {
        finish()
        comment = []
      }
      comment.push(line)
      isInComment = !line.includes('*/')
      continue
    }
    const [, quoted, plain, type = ''] = start.exec(line) ?? []
    const name = quoted ?? plain
    if (name === undefined) {
      current?.lines.push(line)
      continue
    }
    finish()
    current = { name, comment: plainText(comment), lines: [type] }
    comment = []
  }
  finish()
  return members
}

function plainText(comment: readonly string[]): string {
  return comment
    .map((line) =>
      line
        .trim()
        .replace(/^\/\*\*\s?|^\*\/|^\*\s?/, '')
        .replace(/\s*\*\/$/, ''),
    )
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** A comment as a page shows it: without its tags, links as names. */
export function withoutTags(comment: string): string {
  return comment
    .replaceAll(/\{@link ([\w.]+)\}/g, '`$1`')
    .replace(/\s*@\w+.*$/, '')
    .trim()
}

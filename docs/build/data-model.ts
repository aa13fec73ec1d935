import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './document.ts'

const FILE = 'docs/data-model.md'
/** A kind of record, as it is named where its key is made; some indexes have a constant, too. */
const KINDS = [
  /\b(?:recordKey|secretKey)\(\s*(?:[^(),]|\([^()]*(?:\([^()]*\))?[^()]*\))+,\s*'([\w-]+)'/g,
  /\bconst (?:KIND|INDEX) = '([\w-]+)'/g,
  /\bkind: '(\w+-[\w-]+|confirmation)',/g,
]
/** An index, up to what makes it that of one record. */
const INDEX = /\bindexKey\(\s*(?:[^(),]|\([^()]*(?:\([^()]*\))?[^()]*\))+,\s*['`]([\w-]+)/g

/** Kinds of records and indexes in the code that `docs/data-model.md` does not name, and kinds that it lists twice. */
export function dataModelFaults(): string[] {
  const known = readFileSync(path.join(ROOT, FILE), 'utf8')
  const sources = globSync(['packages/!(store|testkit)/src/**/*.ts', 'examples/*/src/**/*.ts'], {
    cwd: ROOT,
  }).map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
  const names = [...KINDS, INDEX].flatMap((pattern) =>
    sources.flatMap((source) => [...source.matchAll(pattern)].map(([, name = '']) => name)),
  )
  const missing = [...new Set(names)].filter((name) => !new RegExp(`\`${name}(?:\`|:)`).test(known))
  return [
    ...missing.map((name) => `${FILE}: ${name} is not described`),
    ...doubledKinds(known).map((kind) => `${FILE}: ${kind} is there twice`),
  ]
}

/** Kinds that a part of the document lists in more than one row. Parts are packages: a kind may be of several. */
export function doubledKinds(document: string): string[] {
  return document.split(/^## /m).flatMap((part) => {
    const kinds = [...part.matchAll(/^\| ((?:`[\w-]+`(?:, )?)+) \|/gm)].flatMap(([, cell = '']) => [
      ...cell.matchAll(/[\w-]+/g),
    ])
    const names = kinds.map(([name]) => name)
    return [...new Set(names.filter((name, at) => names.indexOf(name) < at))]
  })
}

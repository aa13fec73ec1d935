import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { RawAnswer } from './hook.ts'
import { normalBody, normalHeaders, replaceVarying } from './normal.ts'
import { type Part, ROOT } from './part.ts'

/** First line of an answer of which only the shape is the same every time. */
export const SHAPE = 'only the shape'

/** Work under way is asked about until it is done, and checks look at the machine: what is found is chance. */
const WORK =
  /^(?:GET \/(?:backups\/current|imports|keys\/re|keys\/rot|owners\/imports|status)\S*|POST \/checks) 200$/

interface Route {
  readonly name: string
  readonly pattern: RegExp
  readonly parameters: number
}

/** Files of answers: of tests that ask one thing after the other, and of the contract, which asks several at a time. */
const FILES = {
  tests: /(?<!contract\.test\.ts(?:\.redis)?)-\d+\.jsonl$/,
  contract: /contract\.test\.ts-\d+\.jsonl$/,
  contractOnRedis: /contract\.test\.ts\.redis-\d+\.jsonl$/,
} as const
type Leg = keyof typeof FILES
export const LEGS: readonly Leg[] = ['tests', 'contract', 'contractOnRedis']

/**
 * Answers of the routes of both documents, by method, route, status and code; each as a whole and by its shape.
 * @param folder - where the recorded processes noted them
 */
export function answersIn(folder: string, legs: readonly Leg[]): Part[] {
  const routes = readRoutes()
  const found = new Map<string, Part>()
  for (const file of globSync('*.jsonl', { cwd: folder })) {
    if (!legs.some((leg) => FILES[leg].test(file))) continue
    const lines = readFileSync(path.join(folder, file), 'utf8').trimEnd().split('\n')
    for (const line of new Set(lines)) {
      const answer = JSON.parse(line) as RawAnswer // written by hook.ts
      const [pathname = ''] = answer.url.split('?')
      const route = routes.find(({ pattern }) => pattern.test(pathname))
      if (route === undefined) continue
      for (const part of partsOf(answer, route)) found.set(`${part.title}\n${part.text}`, part)
    }
  }
  return [...found.values()]
}

function partsOf({ method, status, head, body }: RawAnswer, route: Route): Part[] {
  const headers = normalHeaders(head)
  const type = headers.find((line) => line.startsWith('content-type: '))?.slice(14) ?? ''
  const text = normalBody(type, body)
  const title = [method, route.name, status, codeOf(type, body)].join(' ').trimEnd()
  const names = new Set(headers.map((line) => line.split(':')[0]))
  const shape = text
    .replaceAll(/(?<=: |^ *)(?:"(?:[^"\\]|\\.)*"|-?\d[\d.e+-]*|true|false|null)(?=,?$)/gm, '?')
    .split('\n')
  return [
    ...(WORK.test(title) ? [] : [{ title, text: [...headers, '', text].join('\n') }]),
    { title, text: [SHAPE, ...names, '', ...new Set(shape)].join('\n') },
  ]
}

function codeOf(type: string, body: string): string {
  if (!type.includes('json') || body === '') return ''
  try {
    // Of our own answers; every member is looked for.
    const members = JSON.parse(body) as {
      readonly code?: unknown
      readonly error?: unknown
      readonly errors?: readonly { readonly code?: unknown }[]
    }
    const { code = members.error ?? members.errors?.[0]?.code } = members
    return typeof code === 'string' ? replaceVarying(code) : ''
  } catch {
    return ''
  }
}

/** The most particular first. */
function readRoutes(): Route[] {
  const names = ['openapi.json', 'admin-openapi.json'].flatMap((file) => {
    // Files of this repository.
    const { paths } = JSON.parse(readFileSync(path.join(ROOT, 'docs', file), 'utf8')) as {
      paths: object
    }
    return Object.keys(paths)
  })
  return [...new Set(names)]
    .map((name) => {
      const parts = name.split(/\{\w+\}/).map((part) => part.replaceAll('.', '\\.'))
      return { name, pattern: new RegExp(`^${parts.join('[^/]+')}$`), parameters: parts.length }
    })
    .toSorted((one, other) => one.parameters - other.parameters)
}

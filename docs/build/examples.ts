import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { RouteRow } from '../../packages/platform/src/index.ts'
import { ROOT } from './document.ts'
import type { RouteGroup } from './routes.ts'
import { STATUS_TEXTS } from './route-words.ts'

/** Written by examples/host/test/fixtures/http-examples/make.ts, from a run of the contract. */
const FILE = 'docs/reference/http-examples.json'

interface Example {
  readonly method: string
  /** As in openapi.json. */
  readonly path: string
  readonly request: {
    readonly target: string
    readonly headers: readonly string[]
    readonly body?: string
  }
  readonly answer: {
    readonly status: number
    readonly headers: readonly string[]
    readonly body?: string
  }
}

// What the program above wrote.
const examples = JSON.parse(readFileSync(path.join(ROOT, FILE), 'utf8')) as Example[]

/** A request and its answer, as they were sent; nothing for an endpoint that the contract does not come to. */
export function exampleOf(row: RouteRow): string[] {
  const example = examples.find((one) => nameOf(one) === nameOfRow(row))
  if (example === undefined) return []
  const { method, request, answer } = example
  const asked = [`${method} ${request.target}`, ...request.headers].join('\n')
  const status = `${answer.status} ${STATUS_TEXTS[answer.status] ?? ''}`.trim()
  const answered = [status, ...answer.headers].join('\n')
  return [
    'As a client of the contract asked and was answered:',
    block(asked, request.body),
    block(answered, answer.body),
  ]
}

/** Examples of what is no endpoint any more, or of what it does not answer. */
export function exampleFaults(groups: readonly RouteGroup[]): string[] {
  const rows = new Map(groups.flatMap(({ rows: all }) => all.map((row) => [nameOfRow(row), row])))
  return examples.flatMap((example) => {
    const name = nameOf(example)
    const row = rows.get(name)
    if (row === undefined) return [`${FILE}: ${name} is no endpoint`]
    const { status } = example.answer
    return row.statuses.includes(status) ? [] : [`${FILE}: ${name} does not answer ${status}`]
  })
}

function nameOf({ method, path: template }: Example): string {
  return `${method} ${template}`
}

function nameOfRow({ method, path: template }: RouteRow): string {
  return `${method} ${template.replaceAll(/[:*](\w+)/g, '{$1}')}`
}

function block(head: string, body = ''): string {
  return `\`\`\`http\n${[head, ...(body === '' ? [] : ['', readable(body)])].join('\n')}\n\`\`\``
}

/** JSON is indented, a form has a line for each of its members. */
function readable(body: string): string {
  if (/^[[{]/.test(body)) return JSON.stringify(JSON.parse(body), undefined, 2)
  return body.replaceAll('&', '\n&')
}

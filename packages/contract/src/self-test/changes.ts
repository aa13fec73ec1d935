import type { Answered } from '../model/evidence.ts'
import type { Answer, Header } from '../model/exchange.ts'
import { objectOf } from './object-of.ts'
import type { Change } from './server-break.ts'

/** Answers for the server what it answered to the same token before, as long as this holds. */
export function remembered(holds: (since: number) => boolean): Change {
  const good = new Map<string, Answer>()
  const refused = new Map<string, number>()
  return ({ request: { method, url, headers }, label, answer }) => {
    const token = headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? ''
    if (label === '' || !token.startsWith('Bearer ')) return answer
    const key = `${method} ${url} ${token}`
    if (answer.status < 300) good.set(key, answer)
    const before = good.get(key)
    if (answer.status !== 401 || before === undefined) return answer
    const since = refused.get(key) ?? performance.now()
    refused.set(key, since)
    return holds(since) ? before : answer
  }
}

type Claims = Readonly<Record<string, unknown>>

/** Gives access tokens other claims; no signature fits them. */
export function claims(change: (before: Claims) => object): Change {
  return ({ answer }) => {
    const body = objectOf(answer)
    const token = body?.['access_token']
    if (typeof token !== 'string') return answer
    return {
      ...answer,
      body: JSON.stringify({ ...body, access_token: withClaims(token, change) }),
    }
  }
}

/** The same for tokens that stand in pages. */
export function inPages(change: (before: Claims) => object): Change {
  return ({ label, answer }) => {
    const body = answer.body.replaceAll(/\beyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/g, (token) =>
      withClaims(token, change),
    )
    return label === '' || body === answer.body ? answer : { ...answer, body }
  }
}

function withClaims(token: string, change: (before: Claims) => object): string {
  const [head = '', payload = '', signature = ''] = token.split('.')
  const before = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims // a JWT of a good server
  const after = Buffer.from(JSON.stringify(change(before))).toString('base64url')
  return `${head}.${after}.${signature}`
}

/** Changes where a redirect leads. */
export function inLocation({ answer }: Answered, what: RegExp, by: string): Answer {
  const changed = answer.headers.map(
    ([name, value]): Header => [
      name,
      name.toLowerCase() === 'location' ? value.replace(what, by) : value,
    ],
  )
  const isSame = changed.every(([, value], at) => value === answer.headers[at]?.[1])
  return isSame ? answer : { ...answer, headers: changed }
}

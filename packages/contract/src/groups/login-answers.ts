import type { Finding } from '../model/check.ts'
import type { Answered } from '../model/evidence.ts'
import { header } from '../model/expect.ts'
import { readPage } from '../pages/html.ts'
import { sessionCookie } from './ses/session-cookie.ts'

/** No session was opened by this. */
export function expectNoSession(...exchanges: readonly Answered[]): Finding {
  const opened = exchanges.find((one) => sessionCookie(one) !== undefined)
  return opened === undefined ? undefined : `${opened.label}: there is a session cookie`
}

export function expectSession(exchange: Answered): Finding {
  return sessionCookie(exchange) === undefined
    ? `${exchange.label}: there is no session cookie`
    : undefined
}

/** A page with a field of this name. */
export function expectField(exchange: Answered, name: string): Finding {
  return fieldsOf(exchange).has(name)
    ? undefined
    : `${exchange.label}: the field ${name} is missing`
}

export function expectNoField(exchange: Answered, name: string): Finding {
  return fieldsOf(exchange).has(name) ? `${exchange.label}: there is a field ${name}` : undefined
}

function fieldsOf({ answer }: Answered): ReadonlySet<string> {
  return new Set(
    readPage(answer.body).forms.flatMap(({ fields }) => fields.map(({ name }) => name)),
  )
}

/** Leads below this address. */
export function expectLeads(exchange: Answered, to: string): Finding {
  const location = header(exchange, 'location') ?? 'nowhere'
  return location.startsWith(to) ? undefined : `${exchange.label}: it leads to ${location}`
}

/** Two answers that nobody can tell apart. */
export function expectSameAnswer(one: Answered, other: Answered): Finding {
  const shapeOf = ({ answer }: Answered): string => JSON.stringify([answer.status, answer.body])
  return shapeOf(one) === shapeOf(other)
    ? undefined
    : `${other.label}: the answer is not the one of ${one.label}`
}

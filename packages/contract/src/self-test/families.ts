import type { Answer, Header } from '../model/exchange.ts'
import { echoed, members } from './member-families.ts'
import { type Family, literally, type Mutation } from './mutation.ts'
import { bodies, frames } from './page-families.ts'

const STATUSES = [200, 201, 204, 302, 400, 401, 403, 404, 500]
/** Headers that no check is about. */
const UNSAID = /^(date|connection|keep-alive|content-length|vary|etag|last-modified)$/i
const ADDED: readonly Header[] = [
  ['Access-Control-Allow-Origin', 'https://elsewhere.contract.example'],
  ['Access-Control-Allow-Credentials', 'true'],
  ['Location', 'https://evil.contract.example/'],
  ['Set-Cookie', 'sessid=planted; Path=/'],
  ['X-Powered-By', 'Broken'],
  ['WWW-Authenticate', 'Bearer error="invalid_token"'],
  ['Strict-Transport-Security', 'max-age=31536000'],
]
const ELSEWHERE = 'https://evil.contract.example/'

const statuses: Family = ({ label, answer }) =>
  STATUSES.filter((status) => status !== answer.status).map((status) => ({
    name: `status ${status}`,
    family: 'status',
    at: label,
    reason: new RegExp(`${status}|used up|opens|none|got tokens|oauth4webapi`),
    answer: { ...answer, status },
  }))

const headersDropped: Family = ({ label, answer }) =>
  namesOf(answer).map((name) => ({
    name: `without ${name}`,
    family: 'header dropped',
    at: label,
    reason: new RegExp(`${literally(name)}|cookie|token|leads|state|code|iss|CORS`, 'i'),
    answer: withHeaders(answer, ({ 0: one }) => one.toLowerCase() !== name),
  }))

const headersChanged: Family = ({ label, answer }) =>
  namesOf(answer).map((name) => ({
    name: `another ${name}`,
    family: 'header changed',
    at: label,
    reason: new RegExp(`${literally(name)}|form-action|script-src|body is|leads`, 'i'),
    answer: {
      ...answer,
      headers: answer.headers.map(
        ([one, value]): Header =>
          one.toLowerCase() === name ? [one, changedHeader(name, value)] : [one, value],
      ),
    },
  }))

const headersAdded: Family = ({ label, answer }) =>
  ADDED.filter(([name]) => !namesOf(answer).includes(name.toLowerCase())).map(([name, value]) => ({
    name: `with ${name}`,
    family: 'header added',
    at: label,
    reason: new RegExp(`${literally(name)}|cookie|leads|says it`, 'i'),
    answer: { ...answer, headers: [...answer.headers, [name, value]] },
  }))

const cookies: Family = ({ label, answer }) =>
  ['HttpOnly', 'SameSite', 'Secure'].flatMap((attribute) =>
    answer.headers.some(([name]) => name.toLowerCase() === 'set-cookie')
      ? [
          {
            name: `cookie without ${attribute}`,
            family: 'cookie attribute',
            at: label,
            reason: new RegExp(attribute),
            answer: {
              ...answer,
              headers: answer.headers.map(
                ([name, value]): Header =>
                  name.toLowerCase() === 'set-cookie'
                    ? [name, value.replace(new RegExp(`;\\s*${attribute}(=[A-Za-z]+)?`, 'gi'), '')]
                    : [name, value],
              ),
            },
          },
        ]
      : [],
  )

const cookiesAdded: Family = ({ label, answer }) =>
  answer.headers.some(([name]) => name.toLowerCase() === 'set-cookie')
    ? [
        {
          name: 'cookie with Secure',
          family: 'cookie attribute',
          at: label,
          reason: /Secure/,
          answer: {
            ...answer,
            headers: answer.headers.map(
              ([name, value]): Header =>
                name.toLowerCase() === 'set-cookie' ? [name, `${value}; Secure`] : [name, value],
            ),
          },
        },
      ]
    : []

const redirects: Family = ({ label, answer }) => {
  const location = answer.headers.find(([name]) => name.toLowerCase() === 'location')?.[1]
  if (location === undefined) return []
  const query = location.replace(/#.*$/, '').split('?')[1] ?? ''
  const pairs = query === '' ? [] : query.split('&')
  const to = (name: string, target: string, reason: RegExp): Mutation => ({
    name,
    family: 'redirect target',
    at: label,
    reason,
    answer: {
      ...answer,
      headers: answer.headers.map(
        ([one, value]): Header => (one.toLowerCase() === 'location' ? [one, target] : [one, value]),
      ),
    },
  })
  const base = location.split('?', 1)[0] ?? ''
  return [
    to('elsewhere', ELSEWHERE, /leads|Location|code|logged in/),
    to('without the fragment', location.replace(/#.*$/, ''), /#/),
    to('with a fragment', `${location.replace(/#.*$/, '')}#part`, /#|leads/),
    to('parameters in another order', `${base}?${pairs.toReversed().join('&')}#`, /first|last/),
    to('with a token', `${base}?access_token=token&${query}`, /token/),
    to('with a session code', `${base}?session_code=code&${query}`, /code is still there/),
    ...pairs.flatMap((pair) => {
      const name = pair.split('=', 1)[0] ?? ''
      const rest = pairs.filter((one) => one !== pair)
      return [
        to(`without ${name}`, `${base}?${rest.join('&')}#`, new RegExp(literally(name))),
        to(
          `another ${name}`,
          `${base}?${[...rest, `${name}=changed`].join('&')}#`,
          new RegExp(`${literally(name)}|leads`),
        ),
      ]
    }),
  ]
}

/** Every way in which an answer is broken. */
export const FAMILIES: readonly Family[] = [
  statuses,
  headersDropped,
  headersChanged,
  headersAdded,
  cookies,
  cookiesAdded,
  redirects,
  members,
  echoed,
  bodies,
  frames,
]

function namesOf({ headers }: Answer): readonly string[] {
  const names = headers.map(([name]) => name.toLowerCase()).filter((name) => !UNSAID.test(name))
  return [...new Set(names)]
}

function withHeaders(answer: Answer, keep: (header: Header) => boolean): Answer {
  return { ...answer, headers: answer.headers.filter(keep) }
}

function changedHeader(name: string, value: string): string {
  if (name === 'content-security-policy') return "script-src 'unsafe-inline'; form-action 'none'"
  if (name === 'content-type') return value.includes('json') ? 'text/html' : 'application/json'
  return 'changed'
}

import { sessionCookie } from '../groups/ses/session-cookie.ts'
import { header } from '../model/expect.ts'
import type { Answer, Header } from '../model/exchange.ts'
import { claims, inLocation, inPages, remembered } from './changes.ts'
import { headerBreaks } from './header-breaks.ts'
import { everywhere, type ServerBreak } from './server-break.ts'

/** How long a server goes on that is slow to forget; milliseconds. */
const SLOW_MS = 1500

/** Faults that go over several answers: a proxy has to remember for them what came before. */
export const SERVER_BREAKS: readonly ServerBreak[] = [
  everywhere(
    'cached answer',
    'answers given to a second caller',
    ['REG', 'APP', 'SES'],
    /./,
    () => {
      const first = new Map<string, Answer>()
      return ({ request: { method, url }, label, answer }) => {
        const key = `${method} ${url.split('?', 1)[0] ?? ''}`
        if (label === '' || answer.status >= 300) return answer
        const before = first.get(key)
        if (before === undefined) first.set(key, answer)
        return before ?? answer
      }
    },
  ),
  everywhere('replay', 'a used code works again', ['TOK', 'BCP', 'PKC'], /./, () => {
    const used = new Map<string, Answer>()
    return ({ request, answer }) => {
      const code = new URLSearchParams(request.body ?? '').get('code') ?? ''
      if (code === '') return answer
      const before = used.get(code)
      if (before !== undefined) return before
      if (answer.status === 200) used.set(code, answer)
      return answer
    }
  }),
  everywhere('revocation', 'a revoked token is accepted', ['REV', 'TOK', 'MGT', 'REF'], /./, () =>
    remembered(() => true),
  ),
  everywhere(
    'delay',
    'a revocation takes its time',
    ['REV', 'MGT', 'TOK'],
    /took|401|200|opens|works/,
    () => remembered((since) => performance.now() - since < SLOW_MS),
  ),
  everywhere('secrets', 'tokens say nothing', ['TOK'], /JWT|aud|sub|iss|iat|exp|scope/, () =>
    claims(() => ({})),
  ),
  everywhere('secrets', 'tokens of another audience', ['TOK'], /aud/, () =>
    claims((before) => ({ ...before, aud: 'another' })),
  ),
  everywhere('secrets', 'tokens of another issuer', ['TOK'], /iss|sub/, () =>
    claims((before) => ({ ...before, iss: 'https://other.contract.example' })),
  ),
  everywhere('secrets', 'tokens that were over long ago', ['TOK'], /exp|iat/, () =>
    claims((before) => ({ ...before, exp: 1, iat: 1 })),
  ),
  everywhere('secrets', 'tokens of every scope', ['TOK'], /scope/, () =>
    claims((before) => ({ ...before, scope: '*' })),
  ),
  everywhere(
    'secrets',
    'short codes',
    ['AUT', 'TOK', 'CNF'],
    /characters|code/,
    () => (exchange) => inLocation(exchange, /([?&]code=)[^&#]+/, '$1short1'),
  ),
  everywhere('secrets', 'every code the same', ['AUT'], /same/, () => {
    let first: string | undefined
    return (exchange) => {
      const [, code] = /[?&]code=([^&#]+)/.exec(header(exchange, 'location') ?? '') ?? []
      first ??= code
      return inLocation(exchange, /([?&]code=)[^&#]+/, `$1${first ?? ''}`)
    }
  }),
  everywhere('secrets', 'tokens of apps are those of another app', ['APP'], /sub is/, () =>
    inPages((before) => ({ ...before, sub: 'another' })),
  ),
  everywhere('replay', 'every login has the same session', ['SES'], /same cookie/, () => {
    let first: string | undefined
    return (exchange) => {
      const cookie = exchange.label === '' ? undefined : sessionCookie(exchange)
      if (cookie === undefined) return exchange.answer
      const [value = ''] = cookie.split(';', 1)
      first ??= value
      if (first === value) return exchange.answer
      const again = cookie.replace(value, first)
      const headers = exchange.answer.headers.map(
        ([name, one]): Header => [name, one === cookie ? again : one],
      )
      return { ...exchange.answer, headers }
    }
  }),
  {
    family: 'value swapped',
    name: 'another subprotocol is chosen',
    groups: ['RTM'],
    reason: /protocol/,
    begin: () => ({ protocol: () => 'another' }),
  },
  everywhere(
    'redirect target',
    'redirects lead elsewhere',
    ['AUT', 'BCP', 'MET', 'CNF'],
    /./,
    () => (exchange) =>
      inLocation(exchange, /^https:\/\/client\.contract\.example/, 'https://evil.contract.example'),
  ),
  everywhere(
    'redirect parameter',
    'refusals give another error',
    ['AUT'],
    /error is/,
    // The page may lead there by a link.
    () => (exchange) => {
      const body = exchange.answer.body.replaceAll('error=access_denied', 'error=server_error')
      return body === exchange.answer.body
        ? inLocation(exchange, /error=access_denied/, 'error=server_error')
        : { ...exchange.answer, body }
    },
  ),
  ...(['state', 'iss', 'code'] as const).map((name) =>
    everywhere(
      'redirect parameter',
      `redirects without ${name}`,
      ['AUT', 'BCP', 'MET'],
      /./,
      () => (exchange) => inLocation(exchange, new RegExp(`([?&])${name}=[^&#]*&?`), '$1'),
    ),
  ),
  everywhere(
    'CORS',
    'every origin is echoed, with credentials',
    ['WEB', 'MET', 'APP', 'SES', 'TOK', 'CNF', 'AUT', 'NOT', 'REG', 'MGT', 'SHM'],
    /CORS|access-control/i,
    () =>
      ({ request, answer }) => {
        const origin = request.headers.find(([name]) => name.toLowerCase() === 'origin')?.[1]
        return {
          ...answer,
          headers: [
            ...answer.headers.filter(
              ([name]) => !/^access-control-allow-(origin|credentials)$/i.test(name),
            ),
            ['Access-Control-Allow-Origin', origin ?? '*'],
            ['Access-Control-Allow-Credentials', 'true'],
          ],
        }
      },
  ),
  everywhere(
    'other instance',
    'answers name another instance',
    ['MET', 'REG', 'TOK', 'SES'],
    /./,
    () =>
      ({ request, label, answer }) => {
        const { host } = new URL(request.url)
        return label === '' || !answer.body.includes(host)
          ? answer
          : { ...answer, body: answer.body.replaceAll(host, `other.${host}`) }
      },
  ),
  everywhere(
    'mail',
    'mails are withheld',
    ['WAY', 'TFA', 'CRT'],
    /./,
    () =>
      ({ label, request, answer }) =>
        label === '' && request.method === 'GET' && answer.body.startsWith('[')
          ? { ...answer, body: '[]' }
          : answer,
  ),
  everywhere(
    'status',
    'a posted passphrase is redirected by 307',
    ['BCP', 'SES'],
    /307|302|status/,
    () =>
      ({ request, label, answer }) =>
        label !== '' &&
        request.method === 'POST' &&
        request.url.endsWith('/auth/login') &&
        answer.status === 401
          ? { ...answer, status: 307, headers: [...answer.headers, ['Location', request.url]] }
          : answer,
  ),
  everywhere(
    'status',
    'forms are redirected by 307',
    ['BCP'],
    /307/,
    () =>
      ({ request, label, answer }) =>
        label !== '' &&
        request.method === 'POST' &&
        !request.url.endsWith('/auth/login') &&
        [302, 303].includes(answer.status)
          ? { ...answer, status: 307 }
          : answer,
  ),
  everywhere(
    'status',
    'refusals are failures of the server',
    ['WEB', 'AUT', 'REG', 'TOK'],
    /500/,
    () =>
      ({ answer }) =>
        answer.status === 400 ? { ...answer, status: 500 } : answer,
  ),
  everywhere(
    'body',
    'pages and errors show code',
    ['WEB'],
    /code/,
    () =>
      ({ label, answer }) =>
        label === '' || answer.status < 400
          ? answer
          : { ...answer, body: `${answer.body}\n    at open (/srv/src/main.ts:1:1)` },
  ),
  ...headerBreaks(),
]

import type { Check } from '../../model/check.ts'
import {
  allOf,
  expectPage,
  expectStatus,
  jsonOf,
  locationOf,
  parameterOf,
  show,
} from '../../model/expect.ts'
import { readPage } from '../../pages/html.ts'
import { CALLBACK } from '../../world/clients.ts'
import { FAULTS, PROGRAM } from './scenarios.ts'

/** Rules of requests that have a fault, of clients without a secret: their programs wait for an answer. */
export const AUT_FAULTS: readonly Check[] = [
  ...FAULTS.map(
    ([id, label, , error]): Check => ({
      id,
      title: `A program on this machine is told ${error} (${label}).`,
      level: 'must',
      basis: 'product',
      rules: ['RFC 6749 4.1.2.1', 'RFC 9207 2', 'decision D92'],
      needs: ['pages'],
      since: '1.1',
      why: 'It would wait for ever while the owner sees a page.',
      remedy: 'Redirect by query with error, state and iss once the owner is logged in.',
      judge: (e) => {
        const answer = e.of(`aut.fault.${label}`)
        const location = locationOf(answer)
        return allOf(
          () => expectStatus(answer, 302),
          () => (location.startsWith(`${PROGRAM}?`) ? undefined : `it leads to ${location}`),
          ...(
            [
              ['error', error],
              ['state', e.note('aut.fault.state')],
              ['iss', jsonOf(e.of('met.document'))['issuer']],
            ] as const
          ).map(([name, expected]) => () => {
            const value = parameterOf(location, name)
            return value === expected ? undefined : `${name} is ${show(value)}`
          }),
        )
      },
    }),
  ),
  {
    id: 'AUT-056',
    title: 'A site that the owner never allowed is told of a fault by a press alone.',
    level: 'must',
    basis: 'product',
    rules: ['RFC 9700 4.11.2', 'decision D92'],
    needs: ['pages'],
    since: '1.1',
    why: 'Anybody registers a site, and the server would redirect to it.',
    remedy: 'Show a page whose button carries the answer.',
    judge: (e) => {
      const answer = e.of('aut.fault.of.site')
      return allOf(
        () => expectPage(answer, 400),
        () => {
          const link = readPage(answer.answer.body).links.find((one) => one.startsWith(CALLBACK))
          const error = parameterOf(link ?? '', 'error')
          return error === 'invalid_scope' ? undefined : `error is ${show(error)}`
        },
      )
    },
  },
  {
    id: 'AUT-057',
    title: 'A stranger is asked to log in before a client is told of a fault.',
    level: 'must',
    basis: 'product',
    rules: ['RFC 9700 4.11.2', 'decision D92'],
    needs: ['pages'],
    since: '1.1',
    why: 'The server would be an open redirector for everybody.',
    remedy: 'Lead to the login first.',
    judge: (e) => {
      const answer = e.of('aut.fault.of.stranger')
      const { pathname } = new URL(locationOf(answer), e.target)
      return allOf(
        () => expectStatus(answer, 302),
        () => (pathname === '/auth/login' ? undefined : `it leads to ${pathname}`),
      )
    },
  },
]

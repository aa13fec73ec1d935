import type { Basis, Check } from '../../model/check.ts'
import { allOf, expectNoHeader, expectPage, locationOf, parameterOf } from '../../model/expect.ts'

interface Refusal {
  readonly id: string
  readonly label: string
  readonly title: string
  readonly basis: Basis
  readonly rules: readonly string[]
  readonly why: string
}

const COMPARISON = ['RFC 9700 2.1 MUST', 'RFC 6749 3.1.2.3 MUST', 'seed, GET /auth/authorize']
const NEVER = 'A page that redirects there is an open redirector, or gives codes away.'

/** Redirect URIs that are not the registered one: there is no redirect at all. */
const NEARLY: readonly (readonly [string, string, string])[] = [
  ['AUT-015', 'case', 'other letters in the path'],
  ['AUT-016', 'slash', 'a slash at its end'],
  ['AUT-017', 'port', 'a port'],
  ['AUT-018', 'query', 'a query'],
  ['AUT-019', 'dots', 'encoded dots'],
  ['AUT-020', 'sub', 'another host before its own'],
  ['AUT-021', 'user', 'its host as the user of another'],
]

const REFUSED: readonly Refusal[] = [
  ...NEARLY.map(
    ([id, label, what]): Refusal => ({
      id,
      label: `aut.nearly.${label}`,
      title: `A redirect URI with ${what} is not the registered one.`,
      basis: 'rfc',
      rules: COMPARISON,
      why: NEVER,
    }),
  ),
  {
    id: 'AUT-022',
    label: 'aut.foreign',
    title: 'A redirect URI that is not registered is refused by a page.',
    basis: 'rfc',
    rules: COMPARISON,
    why: NEVER,
  },
  {
    id: 'AUT-023',
    label: 'aut.client.unknown',
    title: 'An unknown client is refused by a page.',
    basis: 'rfc',
    rules: ['RFC 6749 4.1.2.1 MUST NOT'],
    why: NEVER,
  },
  {
    id: 'AUT-024',
    label: 'aut.no.client',
    title: 'A request without a client is refused by a page.',
    basis: 'rfc',
    rules: ['RFC 6749 4.1.2.1 MUST NOT'],
    why: NEVER,
  },
  {
    id: 'AUT-025',
    label: 'aut.stranger.wrong',
    title: 'A wrong redirect URI is refused before anybody is asked to log in.',
    basis: 'product',
    rules: ['oauth.md 5.1'],
    why: 'An owner who typed the passphrase would be sent to an error.',
  },
  {
    id: 'AUT-026',
    label: 'aut.no.state',
    title: 'A request without a state is refused by a page.',
    basis: 'seed',
    rules: ['seed, GET /auth/authorize', 'seed, Authentication 4'],
    why: 'state is mandatory: it keeps strangers from giving the client their code.',
  },
  {
    id: 'AUT-027',
    label: 'aut.no.redirect',
    title: 'A request without a redirect URI is refused by a page.',
    basis: 'seed',
    rules: ['seed, GET /auth/authorize'],
    why: 'A client may have several.',
  },
  {
    id: 'AUT-028',
    label: 'aut.no.type',
    title: 'A request without a response type is refused by a page.',
    basis: 'seed',
    rules: ['seed, GET /auth/authorize', 'oauth.md 5.1'],
    why: 'response_type is code, and nothing else.',
  },
  {
    id: 'AUT-029',
    label: 'aut.no.scope',
    title: 'A request without a scope is refused by a page.',
    basis: 'product',
    rules: ['oauth.md 5.1'],
    why: 'There is nothing to ask the owner for.',
  },
  {
    id: 'AUT-030',
    label: 'aut.type.token',
    title: 'The implicit grant is refused.',
    basis: 'seed',
    rules: ['seed, What the service does 3', 'RFC 9700 2.1.2'],
    why: 'Tokens in addresses end up in histories and logs.',
  },
  {
    id: 'AUT-031',
    label: 'aut.type.hybrid',
    title: 'A hybrid response type is refused.',
    basis: 'seed',
    rules: ['seed, GET /auth/authorize'],
    why: 'response_type is code, and nothing else.',
  },
  {
    id: 'AUT-032',
    label: 'aut.twice',
    title: 'A parameter that is sent twice is refused.',
    basis: 'product',
    rules: ['RFC 6749 3.1 MUST NOT', 'oauth.md 2.2'],
    why: 'Two parts of a server may each read another one.',
  },
  {
    id: 'AUT-033',
    label: 'aut.scope.all',
    title: 'Everything is not to be had by a client that is not certified.',
    basis: 'seed',
    rules: ['seed, OAuth client record', 'clients 27'],
    why: 'Dynamically registered clients cannot obtain all scopes.',
  },
  {
    id: 'AUT-034',
    label: 'aut.scope.install',
    title: 'The right to install apps is not to be had.',
    basis: 'seed',
    rules: ['seed, OAuth client record'],
    why: 'An app that is installed can do more than the client was allowed.',
  },
  {
    id: 'AUT-035',
    label: 'aut.scope.sessions',
    title: 'The sessions of the owner are not to be had.',
    basis: 'product',
    rules: ['oauth.md 12.1'],
    why: 'Whoever reads sessions is the owner.',
  },
  {
    id: 'AUT-036',
    label: 'aut.scope.broken',
    title: 'A scope that cannot be read is refused.',
    basis: 'product',
    rules: ['RFC 6749 3.3', 'oauth.md 12'],
    why: 'The owner would be asked for something else than is given.',
  },
]

/** Rules of what is refused before anybody is asked. */
export const AUT_REFUSALS: readonly Check[] = REFUSED.map(
  ({ id, label, title, basis, rules, why }): Check => ({
    id,
    title,
    level: 'must',
    basis,
    rules,
    why,
    remedy: 'Answer 400 with a page that says what is wrong, and no Location.',
    judge: (e) => {
      const answer = e.of(label)
      // An RFC's rule is that nothing leads to the client, whatever the status.
      if (basis === 'rfc') {
        return allOf(
          () =>
            answer.answer.status >= 400 && answer.answer.status < 500
              ? undefined
              : `${label}: the status is ${answer.answer.status}, not one of 4xx`,
          expectNoHeader(answer, 'location'),
        )
      }
      return allOf(expectPage(answer, 400), () =>
        parameterOf(locationOf(answer), 'code') === undefined ? undefined : 'a code was given',
      )
    },
  }),
)

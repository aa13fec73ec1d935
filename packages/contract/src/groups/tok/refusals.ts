import type { Basis, Check } from '../../model/check.ts'
import {
  allOf,
  expectError,
  expectHeader,
  expectNoMember,
  expectStatus,
} from '../../model/expect.ts'

interface Refusal {
  readonly id: string
  readonly label: string
  readonly title: string
  readonly statuses: readonly number[]
  readonly errors: readonly string[]
  readonly rule: string
  readonly basis?: Basis
}

/** What is refused, with the codes of RFC 6749 5.2. */
const REFUSALS: readonly Refusal[] = [
  {
    id: 'TOK-021',
    label: 'tok.no.client',
    title: 'A request without a client is refused.',
    statuses: [400, 401],
    errors: ['invalid_request', 'invalid_client'],
    rule: 'RFC 6749 5.2',
  },
  {
    id: 'TOK-022',
    label: 'tok.no.secret',
    title: 'A request without the secret is refused.',
    statuses: [400, 401],
    errors: ['invalid_client', 'invalid_request'],
    rule: 'RFC 6749 3.2.1 MUST',
  },
  {
    id: 'TOK-023',
    label: 'tok.no.grant',
    title: 'A request without a grant type is refused.',
    statuses: [400],
    errors: ['invalid_request'],
    rule: 'RFC 6749 5.2',
  },
  {
    id: 'TOK-024',
    label: 'tok.no.code',
    title: 'An exchange without a code is refused.',
    statuses: [400],
    errors: ['invalid_request'],
    rule: 'RFC 6749 4.1.3 REQUIRED',
  },
  {
    id: 'TOK-025',
    label: 'tok.client.unknown',
    title: 'An unknown client is refused.',
    statuses: [400, 401],
    errors: ['invalid_client'],
    rule: 'RFC 6749 5.2',
  },
  {
    id: 'TOK-026',
    label: 'tok.secret.wrong',
    title: 'A wrong secret is refused.',
    statuses: [400, 401],
    errors: ['invalid_client'],
    rule: 'RFC 6749 5.2',
  },
  {
    id: 'TOK-027',
    label: 'tok.two.methods',
    title: 'A client that authenticates in two ways at once is refused.',
    statuses: [400, 401],
    errors: ['invalid_request', 'invalid_client'],
    rule: 'RFC 6749 2.3 MUST NOT',
  },
  {
    id: 'TOK-028',
    label: 'tok.grant.password',
    title: 'The grant of passwords is not offered.',
    statuses: [400],
    errors: ['unsupported_grant_type', 'unauthorized_client'],
    rule: 'RFC 9700 2.4 MUST NOT',
  },
  {
    id: 'TOK-029',
    label: 'tok.grant.client_credentials',
    title: 'The grant of client credentials is not offered.',
    statuses: [400],
    errors: ['unsupported_grant_type', 'unauthorized_client'],
    rule: 'seed, What the service does 3',
    basis: 'seed',
  },
  {
    id: 'TOK-030',
    label: 'tok.grant.implicit',
    title: 'A grant type that nobody knows is refused.',
    statuses: [400],
    errors: ['unsupported_grant_type'],
    rule: 'RFC 6749 5.2',
  },
  {
    id: 'TOK-031',
    label: 'tok.code.unknown',
    title: 'A code that nobody issued is refused.',
    statuses: [400],
    errors: ['invalid_grant'],
    rule: 'RFC 6749 5.2',
  },
  {
    id: 'TOK-032',
    label: 'tok.redirect',
    title: 'Another redirect URI than that of the request is refused.',
    statuses: [400],
    errors: ['invalid_grant'],
    rule: 'RFC 6749 4.1.3 MUST',
  },
  {
    id: 'TOK-033',
    label: 'tok.foreign',
    title: 'The code of another client is refused.',
    statuses: [400],
    errors: ['invalid_grant'],
    rule: 'RFC 6749 4.1.3 MUST',
  },
  {
    id: 'TOK-034',
    label: 'tok.json',
    title: 'JSON instead of a form is refused.',
    statuses: [400, 415],
    errors: ['invalid_request'],
    rule: 'RFC 6749 4.1.3',
  },
  {
    id: 'TOK-035',
    label: 'tok.query',
    title: 'Nothing is read from the query.',
    statuses: [400, 401],
    errors: ['invalid_request', 'invalid_client'],
    rule: 'RFC 6749 2.3.1 MUST NOT',
  },
  {
    id: 'TOK-036',
    label: 'tok.twice',
    title: 'A parameter that is sent twice is refused.',
    statuses: [400],
    errors: ['invalid_request'],
    rule: 'RFC 6749 3.2 MUST NOT',
  },
]

/** Rules of what the token endpoint refuses. */
export const TOK_REFUSALS: readonly Check[] = [
  ...REFUSALS.map(
    ({ id, label, title, statuses, errors, rule, basis = 'rfc' }): Check => ({
      id,
      title,
      level: 'must',
      basis,
      rules: [rule],
      why: 'Clients choose by the code what they do next; a token here would be one for a stranger.',
      remedy: `Answer ${statuses.join(' or ')} with {"error": "${errors.join('" or "')}"}.`,
      judge: (e) =>
        allOf(
          expectError(e.of(label), statuses, ...errors),
          expectNoMember(e.of(label), 'access_token'),
        ),
    }),
  ),
  {
    id: 'TOK-037',
    title: 'A client that fails by Basic is challenged.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 5.2 MUST'],
    why: 'The answer must be 401 with the scheme that was used.',
    remedy: 'Answer 401 with WWW-Authenticate: Basic.',
    judge: (e) =>
      allOf(
        expectError(e.of('tok.basic.wrong'), [401], 'invalid_client'),
        expectHeader(e.of('tok.basic.wrong'), 'www-authenticate', /^Basic\b/i),
      ),
  },
  {
    id: 'TOK-038',
    title: 'An unknown client is told that it must be registered.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 17'],
    why: 'Published clients notice by this text that they were removed.',
    remedy: 'Write "the client must be registered" into error_description.',
    judge: (e) =>
      e.of('tok.client.unknown').answer.body.includes('the client must be registered')
        ? undefined
        : 'the text "the client must be registered" is missing',
  },
  {
    id: 'TOK-039',
    title: 'GET gives no token.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 3.2 MUST'],
    why: 'Addresses end up in logs.',
    remedy: 'Answer 405 with Allow: POST.',
    judge: (e) => expectStatus(e.of('tok.get'), 404, 405),
  },
  {
    id: 'TOK-040',
    title: 'No cache keeps a refusal.',
    level: 'should',
    basis: 'product',
    rules: ['oauth.md 2.4'],
    why: 'The next answer may be another one.',
    remedy: 'Answer Cache-Control: no-store.',
    judge: (e) => expectHeader(e.of('tok.code.unknown'), 'cache-control', /\bno-store\b/),
  },
]

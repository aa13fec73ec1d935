import * as oauth from 'oauth4webapi'
import type { Check } from '../../model/check.ts'
import type { Evidence } from '../../model/evidence.ts'
import {
  allOf,
  expectError,
  expectHeader,
  expectJson,
  expectMember,
  expectNoHeader,
  expectStatus,
  jsonOf,
  show,
} from '../../model/expect.ts'
import { stockAccepts } from '../stock.ts'

/** Rules of an exchange that goes well (RFC 6749 5.1). */
export const TOK_ANSWERS: readonly Check[] = [
  {
    id: 'TOK-001',
    title: 'An exchange is answered by 200 with JSON.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 5.1', 'clients 36'],
    why: 'Client libraries read nothing else.',
    remedy: 'Answer 200 with application/json.',
    judge: (e) => allOf(expectStatus(e.of('tok.exchange'), 200), expectJson(e.of('tok.exchange'))),
  },
  {
    id: 'TOK-002',
    title: 'The answer has an access token and a refresh token.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Token response', 'RFC 6749 5.1 REQUIRED', 'clients 9'],
    why: 'Clients refresh without asking for offline_access.',
    remedy: 'Answer access_token and refresh_token.',
    judge: (e) =>
      allOf(
        expectMember(e.of('tok.exchange'), 'access_token'),
        expectMember(e.of('tok.exchange'), 'refresh_token'),
      ),
  },
  {
    id: 'TOK-003',
    title: 'The token type is exactly bearer.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Token response', 'clients 36'],
    why: 'The seed writes it in small letters.',
    remedy: 'Answer token_type "bearer".',
    judge: (e) => expectMember(e.of('tok.exchange'), 'token_type', 'bearer'),
  },
  {
    id: 'TOK-004',
    title: 'The scope is the one that was asked for.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Token response', 'RFC 6749 5.1'],
    why: 'The client learns by it what the owner allowed.',
    remedy: 'Answer the granted scope.',
    judge: (e) =>
      expectMember(
        e.of('tok.exchange'),
        'scope',
        new URL(e.of('tok.code.page').request.url).searchParams.get('scope'),
      ),
  },
  {
    id: 'TOK-005',
    title: 'No cache keeps the answer.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 5.1 MUST'],
    why: 'It holds credentials.',
    remedy: 'Answer Cache-Control: no-store.',
    judge: (e) => expectHeader(e.of('tok.exchange'), 'cache-control', /\bno-store\b/),
  },
  {
    id: 'TOK-006',
    title: 'No other origin may read the answer.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, What the service does 9'],
    why: 'CORS is disabled for /auth.',
    remedy: 'Send no Access-Control-Allow-Origin, whatever the Origin.',
    judge: (e) =>
      allOf(
        expectNoHeader(e.of('tok.origin'), 'access-control-allow-origin'),
        expectNoHeader(e.of('tok.preflight'), 'access-control-allow-origin'),
      ),
  },
  {
    id: 'TOK-007',
    title: 'A client may send its secret by Basic.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 2.3.1 MUST', 'clients 35'],
    why: 'Every server must support it.',
    remedy: 'Take Authorization: Basic as well as the form.',
    judge: (e) => expectStatus(e.of('tok.basic'), 200),
  },
  {
    id: 'TOK-008',
    title: 'A bearer token in the header is ignored.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 1'],
    why: 'Published clients send their old access token along.',
    remedy: 'Read no Authorization but Basic at this endpoint.',
    judge: (e) => expectStatus(e.of('tok.bearer'), 200),
  },
  {
    id: 'TOK-009',
    title: 'The redirect URI may be left out of the exchange.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 7', 'seed, POST /auth/access_token'],
    why: 'The form of the seed has none.',
    remedy: 'Compare it only where it was sent.',
    judge: (e) => expectStatus(e.of('tok.bare'), 200),
  },
  {
    id: 'TOK-010',
    title: 'A charset in the type of the form is no fault.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 43'],
    why: 'Many HTTP libraries add it.',
    remedy: 'Ignore parameters of the media type.',
    judge: (e) => expectStatus(e.of('tok.charset'), 200),
  },
  {
    id: 'TOK-011',
    title: 'The access token is a JWT for one audience, issued by the domain of the server.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Access token', 'clients 44'],
    why: 'Resource servers read these claims.',
    remedy: 'Have aud, and iss as the bare domain.',
    judge: (e) => {
      const claims = claimsOf(e)
      if (claims === undefined) return 'the access token is no JWT'
      if (claims['iss'] !== new URL(e.target).host) return `iss is ${show(claims['iss'])}`
      const { aud } = claims
      return typeof aud === 'string' || (Array.isArray(aud) && aud.length === 1)
        ? undefined
        : `aud is ${show(aud)}`
    },
  },
  {
    id: 'TOK-012',
    title: 'The subject of the access token is the client.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Access token', 'clients 44'],
    why: 'Resource servers tell clients apart by it.',
    remedy: 'Write the client id to sub.',
    judge: (e) => {
      const sub = claimsOf(e)?.['sub']
      const id = jsonOf(e.of('client.main'))['client_id']
      return sub === id ? undefined : `sub is ${show(sub)}`
    },
  },
  {
    id: 'TOK-013',
    title: 'The access token says when it was issued and what it allows.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Access token'],
    why: 'It is valid for 24 hours from then.',
    remedy: 'Have iat in seconds, and scope.',
    judge: (e) => {
      const claims = claimsOf(e)
      const { scope } = jsonOf(e.of('tok.exchange'))
      if (typeof claims?.['iat'] !== 'number') return `iat is ${show(claims?.['iat'])}`
      return claims['scope'] === scope ? undefined : `scope is ${show(claims['scope'])}`
    },
  },
  {
    id: 'TOK-014',
    title: 'The access token lives for 24 hours.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Limits'],
    why: 'Clients plan their refreshes by it.',
    remedy: 'Let exp be iat + 86400, and expires_in 86400.',
    judge: (e) => {
      const claims = claimsOf(e)
      const { expires_in: seconds } = jsonOf(e.of('tok.exchange'))
      const { exp, iat } = claims ?? {}
      if (exp !== undefined && Number(exp) - Number(iat) !== 86_400) return `exp is ${show(exp)}`
      return seconds === undefined || seconds === 86_400
        ? undefined
        : `expires_in is ${show(seconds)}`
    },
  },
  {
    id: 'TOK-015',
    title: 'A stock client library accepts the answer.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 5.1'],
    why: 'oauth4webapi follows the RFC where a check of ours might err.',
    remedy: 'Read what the library says.',
    judge: (e) => {
      const server = { issuer: e.target }
      const client = { client_id: String(jsonOf(e.of('client.main'))['client_id']) }
      return stockAccepts(e.of('tok.exchange'), (answer) =>
        oauth.processAuthorizationCodeResponse(server, client, answer),
      )
    },
  },
  {
    id: 'TOK-016',
    title: 'Exactly one of twenty exchanges of one code gets tokens.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 4.1.2 MUST NOT', 'seed, Limits'],
    why: 'A code is used once.',
    remedy: 'Use the code up in one conditional write.',
    judge: (e) => {
      const answers = e.all('tok.racer.')
      const winners = answers.filter(({ answer }) => answer.status === 200)
      if (winners.length > 1) return `${winners.length} of ${answers.length} got tokens`
      return winners.length === 1 ? undefined : 'none got tokens'
    },
  },
  {
    id: 'TOK-017',
    title: 'The others are told invalid_grant.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 5.2'],
    why: 'A fault of the server would make clients try again.',
    remedy: 'Answer 400 invalid_grant.',
    judge: (e) =>
      allOf(
        ...e
          .all('tok.racer.')
          .filter(({ answer }) => answer.status !== 200)
          .map((one) => () => expectError(one, [400], 'invalid_grant')),
      ),
  },
  {
    id: 'TOK-018',
    title: 'A used code is refused.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 4.1.2 MUST', 'RFC 6749 10.5 MUST'],
    why: 'Whoever caught it could use it.',
    remedy: 'Answer 400 invalid_grant.',
    judge: (e) =>
      allOf(
        expectStatus(e.of('tok.replay.first'), 200),
        expectError(e.of('tok.replay.again'), [400], 'invalid_grant'),
      ),
  },
  {
    id: 'TOK-019',
    title: 'A code that is used twice ends the access token that it gave.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 4.1.2 SHOULD', 'oauth.md 6.2'],
    why: 'One of the two users is a thief, and nobody knows which.',
    remedy: 'Revoke the grant, and look it up where tokens are checked.',
    needs: ['resource'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('tok.replay.before'), 200, 404),
        expectStatus(e.of('tok.replay.access'), 401),
      ),
  },
  {
    id: 'TOK-020',
    title: 'A code that is used twice ends the refresh token that it gave.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 4.1.2 SHOULD', 'RFC 9700 4.14'],
    why: 'One of the two users is a thief, and nobody knows which.',
    remedy: 'Revoke the grant.',
    judge: (e) =>
      allOf(
        expectStatus(e.of('tok.replay.first'), 200),
        expectError(e.of('tok.replay.refresh'), [400], 'invalid_grant'),
      ),
  },
]

function claimsOf(e: Evidence): Readonly<Record<string, unknown>> | undefined {
  const token = jsonOf(e.of('tok.exchange'))['access_token']
  return e.facts(String(token))?.jwt?.claims
}

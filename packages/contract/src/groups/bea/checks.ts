import type { Check, Finding } from '../../model/check.ts'
import type { Evidence } from '../../model/evidence.ts'
import { allOf, expectHeader, expectStatus, header } from '../../model/expect.ts'

interface Bad {
  readonly id: string
  readonly label: string
  readonly title: string
  readonly rule: string
}

const FORGED = 'RFC 8725 3.1'

/** Tokens that open nothing. */
const BAD: readonly Bad[] = [
  {
    id: 'BEA-007',
    label: 'bea.broken',
    title: 'What is no token is refused.',
    rule: 'RFC 6750 3.1',
  },
  {
    id: 'BEA-008',
    label: 'bea.forged.none',
    title: 'A token with the algorithm none is refused.',
    rule: FORGED,
  },
  {
    id: 'BEA-009',
    label: 'bea.forged.key',
    title: 'A token that is signed with another key is refused.',
    rule: FORGED,
  },
  {
    id: 'BEA-010',
    label: 'bea.forged.algorithm',
    title: 'A token with another algorithm is refused.',
    rule: FORGED,
  },
  {
    id: 'BEA-011',
    label: 'bea.forged.scope',
    title: 'A token whose scope was changed is refused.',
    rule: FORGED,
  },
  {
    id: 'BEA-012',
    label: 'bea.forged.audience',
    title: 'A token whose audience was changed is refused.',
    rule: 'RFC 8725 3.9',
  },
  {
    id: 'BEA-013',
    label: 'bea.refresh',
    title: 'A refresh token is no access token.',
    rule: 'RFC 6749 1.5',
  },
  {
    id: 'BEA-014',
    label: 'bea.registration',
    title: 'A registration access token is no access token.',
    rule: 'RFC 7592 3',
  },
]

/** Rules of RFC 6750. */
export const BEA_CHECKS: readonly Check[] = [
  {
    id: 'BEA-001',
    title: 'A good token in the Authorization header opens the resource.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6750 2.1 MUST', 'seed, Authentication 1'],
    why: 'That is what it was issued for.',
    remedy: 'Take Authorization: Bearer.',
    needs: ['resource'],
    judge: (e) => expectStatus(e.of('bea.good'), 200, 404),
  },
  {
    id: 'BEA-002',
    title: 'The scheme may be written in small letters.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 9110 11.1'],
    why: 'Schemes have no case.',
    remedy: 'Compare the scheme without case.',
    needs: ['resource'],
    judge: (e) => expectStatus(e.of('bea.case'), 200, 404),
  },
  {
    id: 'BEA-003',
    title: 'Without a token the answer is 401 with a challenge that names no error.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6750 3 MUST', 'RFC 6750 3.1 SHOULD NOT'],
    why: 'The client learns that it needs a token, not that its token is bad.',
    remedy: 'Answer 401 with WWW-Authenticate: Bearer and no error.',
    needs: ['resource'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('bea.nothing'), 401),
        expectHeader(e.of('bea.nothing'), 'www-authenticate', /^Bearer\b(?!.*error=)/i),
      ),
  },
  {
    id: 'BEA-004',
    title: 'A token in the query is not taken.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, What the service does 4', 'RFC 9700 2.6'],
    why: 'Addresses end up in logs.',
    remedy: 'Read the Authorization header alone.',
    needs: ['resource'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('bea.query'), 401, 400),
        expectStatus(e.of('bea.query.bearer'), 401, 400),
      ),
  },
  {
    id: 'BEA-005',
    title: 'A token in the body is not taken.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, What the service does 4'],
    why: 'A page elsewhere could post it.',
    remedy: 'Read the Authorization header alone.',
    needs: ['resource'],
    judge: (e) => expectStatus(e.of('bea.body'), 401, 400, 405, 415),
  },
  {
    id: 'BEA-006',
    title: 'A token as the password of Basic is not taken.',
    level: 'must',
    basis: 'product',
    rules: ['oauth.md 7.2'],
    why: 'Browsers keep such passwords.',
    remedy: 'Take the scheme Bearer alone.',
    needs: ['resource'],
    judge: (e) => expectStatus(e.of('bea.basic'), 401),
  },
  ...BAD.map(
    ({ id, label, title, rule }): Check => ({
      id,
      title,
      level: 'must',
      basis: 'rfc',
      rules: [rule, 'RFC 6750 3.1'],
      why: 'Whoever can make a token is the owner.',
      remedy: 'Answer 401 with WWW-Authenticate: Bearer error="invalid_token".',
      needs: ['resource'],
      judge: (e) => refused(e, label),
    }),
  ),
  {
    id: 'BEA-015',
    title: 'A token without the permission is answered by 403.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6750 3.1 SHOULD'],
    why: 'Another token of the same grant would not help.',
    remedy: 'Answer 403 with error="insufficient_scope".',
    needs: ['resource'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('bea.scope'), 403),
        expectHeader(e.of('bea.scope'), 'www-authenticate', /error="insufficient_scope"/),
      ),
  },
  {
    id: 'BEA-016',
    title: 'A token that may read may not write.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, GET /auth/authorize'],
    why: 'The owner allowed the verb that is in the scope.',
    remedy: 'Answer 403.',
    needs: ['resource'],
    judge: (e) => expectStatus(e.of('bea.write'), 403),
  },
  {
    id: 'BEA-017',
    title: 'Two Authorization headers are refused.',
    level: 'must',
    basis: 'product',
    rules: ['RFC 9110 5.3 MUST NOT', 'RFC 6750 2'],
    why: 'Two parts of a server may each read another one.',
    remedy: 'Answer 400 or 401.',
    needs: ['resource'],
    judge: (e) => expectStatus(e.of('bea.two'), 400, 401),
  },
  {
    id: 'BEA-018',
    title: 'The body of a 401 has no message at its top.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 20'],
    why: 'It hides the challenge from published clients.',
    remedy: 'Answer {"error": "invalid_token"} without message.',
    needs: ['resource'],
    judge: (e) =>
      allOf(expectStatus(e.of('bea.broken'), 401), () =>
        /^\s*\{[^{]*"message"\s*:/.test(e.of('bea.broken').answer.body)
          ? 'there is a message'
          : undefined,
      ),
  },
]

function refused(e: Evidence, label: string): Finding {
  const answer = e.of(label)
  return allOf(expectStatus(answer, 401), () =>
    /^Bearer\b.*error="invalid_token"/i.test(header(answer, 'www-authenticate') ?? '')
      ? undefined
      : `WWW-Authenticate is ${header(answer, 'www-authenticate') ?? 'missing'}`,
  )
}

import type { Check } from '../../model/check.ts'
import { allOf, expectError, expectNoHeader, expectStatus } from '../../model/expect.ts'

/** Rules of RFC 7009. */
export const REV_CHECKS: readonly Check[] = [
  {
    id: 'REV-001',
    title: 'Revoking a refresh token is answered by 200.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7009 2.2 MUST'],
    why: 'Clients take anything else for a failure and try again.',
    remedy: 'Answer 200.',
    needs: ['revocation'],
    judge: (e) => expectStatus(e.of('rev.refresh'), 200),
  },
  {
    id: 'REV-002',
    title: 'A revoked refresh token is dead.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7009 2.1 MUST'],
    why: 'That is what was asked for.',
    remedy: 'Answer invalid_grant to it from then on.',
    needs: ['revocation'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('rev.still'), 200),
        expectError(e.of('rev.refresh.dead'), [400], 'invalid_grant'),
      ),
  },
  {
    id: 'REV-003',
    title: 'The access tokens of the same grant die with it, within a second.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7009 2.1 SHOULD', 'decision D9'],
    why: 'They would open the resource for another day.',
    remedy: 'Look up the grant where tokens are checked.',
    needs: ['revocation', 'resource'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('rev.before'), 200, 404),
        expectStatus(e.of('rev.refresh.access'), 401),
      ),
  },
  {
    id: 'REV-004',
    title: 'A revoked access token is dead, whatever the hint says.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7009 2.1 MUST'],
    why: 'A wrong hint must not save it.',
    remedy: 'Look among all kinds of tokens.',
    needs: ['revocation', 'resource'],
    judge: (e) =>
      allOf(expectStatus(e.of('rev.access'), 200), expectStatus(e.of('rev.access.dead'), 401)),
  },
  {
    id: 'REV-005',
    title: 'Revoking an access token ends its grant.',
    level: 'should',
    basis: 'product',
    rules: ['RFC 7009 2.1 MAY', 'http-api, POST /auth/revoke'],
    why: 'The refresh token would fetch another one.',
    remedy: 'Revoke the grant.',
    needs: ['revocation'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('rev.access'), 200),
        expectError(e.of('rev.access.refresh'), [400], 'invalid_grant'),
      ),
  },
  {
    id: 'REV-006',
    title: 'A token that nobody issued is answered by 200.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7009 2.2'],
    why: 'The purpose is reached already.',
    remedy: 'Answer 200.',
    needs: ['revocation'],
    judge: (e) =>
      allOf(expectStatus(e.of('rev.unknown'), 200), expectStatus(e.of('rev.again'), 200)),
  },
  {
    id: 'REV-007',
    title: 'The token of another client stays good.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7009 2.1 MUST'],
    why: 'Any client could otherwise end the others.',
    remedy: 'Compare the client of the token with the one that asks.',
    needs: ['revocation'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('rev.foreign'), 200, 400),
        expectStatus(e.of('rev.foreign.after'), 200),
      ),
  },
  {
    id: 'REV-008',
    title: 'A wrong secret revokes nothing.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7009 2.1 MUST'],
    why: 'The client has to be the one it says.',
    remedy: 'Answer 401 invalid_client.',
    needs: ['revocation'],
    judge: (e) =>
      allOf(
        expectError(e.of('rev.secret'), [400, 401], 'invalid_client'),
        expectStatus(e.of('rev.still'), 200),
      ),
  },
  {
    id: 'REV-009',
    title: 'A request without a token is refused.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7009 2.1 REQUIRED'],
    why: 'The client has a fault that it should see.',
    remedy: 'Answer 400 invalid_request.',
    needs: ['revocation'],
    judge: (e) => expectError(e.of('rev.missing'), [400], 'invalid_request'),
  },
  {
    id: 'REV-010',
    title: 'GET revokes nothing.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7009 2.1'],
    why: 'A link must not disconnect anybody.',
    remedy: 'Answer 405 with Allow: POST.',
    needs: ['revocation'],
    judge: (e) => expectStatus(e.of('rev.get'), 404, 405),
  },
  {
    id: 'REV-011',
    title: 'No other origin may read the answer.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, What the service does 9'],
    why: 'CORS is disabled for /auth.',
    remedy: 'Send no Access-Control-Allow-Origin.',
    needs: ['revocation'],
    judge: (e) => expectNoHeader(e.of('rev.origin'), 'access-control-allow-origin'),
  },
]

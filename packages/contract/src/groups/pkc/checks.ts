import type { Check, Finding } from '../../model/check.ts'
import type { Evidence } from '../../model/evidence.ts'
import {
  allOf,
  expectError,
  expectPage,
  expectStatus,
  jsonOf,
  locationOf,
  parameterOf,
} from '../../model/expect.ts'

const REMEDY = 'Answer 400 invalid_grant unless BASE64URL(SHA256(code_verifier)) is the challenge.'

/** Rules of RFC 7636. */
export const PKC_CHECKS: readonly Check[] = [
  {
    id: 'PKC-001',
    title: 'A code is exchanged with the verifier of its challenge.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7636 4.6 MUST', 'seed, GET /auth/authorize'],
    why: 'That is what S256 means.',
    remedy: REMEDY,
    judge: (e) =>
      allOf(expectStatus(e.of('pkc.code.page'), 200, 302, 303), expectStatus(e.of('pkc.own'), 200)),
  },
  {
    id: 'PKC-002',
    title: 'The method plain is refused.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, GET /auth/authorize', 'RFC 9700 2.1.1'],
    why: 'Its challenge is the verifier, for all to read.',
    remedy: 'Answer 400 with a page unless the method is S256.',
    judge: (e) => refused(e, 'pkc.plain'),
  },
  {
    id: 'PKC-003',
    title: 'A challenge without a method is refused, for that means plain.',
    level: 'must',
    basis: 'seed',
    rules: ['RFC 7636 4.3', 'oauth.md 5.1'],
    why: 'The default of the RFC is plain.',
    remedy: 'Answer 400 with a page unless the method is S256.',
    judge: (e) => refused(e, 'pkc.no.method'),
  },
  {
    id: 'PKC-004',
    title: 'A method without a challenge is refused.',
    level: 'must',
    basis: 'product',
    rules: ['oauth.md 5.1'],
    why: 'The client believes that it is protected.',
    remedy: 'Answer 400 with a page.',
    judge: (e) => refused(e, 'pkc.no.challenge'),
  },
  {
    id: 'PKC-005',
    title: 'A challenge that is no SHA-256 value is refused.',
    level: 'must',
    basis: 'product',
    rules: ['RFC 7636 4.2', 'oauth.md 5.1'],
    why: 'No verifier would ever fit.',
    remedy: 'Ask for 43 characters of base64url.',
    judge: (e) => allOf(refused(e, 'pkc.short'), () => refused(e, 'pkc.letters')),
  },
  {
    id: 'PKC-006',
    title: 'A code with a challenge is not exchanged without a verifier.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7636 4.6 MUST', 'RFC 9700 2.1.1'],
    why: 'Whoever caught the code could use it.',
    remedy: REMEDY,
    judge: (e) => expectError(e.of('pkc.missing'), [400], 'invalid_grant', 'invalid_request'),
  },
  {
    id: 'PKC-007',
    title: 'A code is not exchanged with another verifier.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7636 4.6 MUST'],
    why: 'Whoever caught the code could use it.',
    remedy: REMEDY,
    judge: (e) => expectError(e.of('pkc.wrong'), [400], 'invalid_grant'),
  },
  {
    id: 'PKC-008',
    title: 'The challenge is no verifier.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7636 4.6 MUST'],
    why: 'The challenge stood in the address.',
    remedy: REMEDY,
    judge: (e) => expectError(e.of('pkc.challenge'), [400], 'invalid_grant'),
  },
  {
    id: 'PKC-009',
    title: 'A verifier of less than 43 characters is refused.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7636 4.1'],
    why: 'It could be guessed.',
    remedy: 'Answer 400 invalid_request or invalid_grant.',
    judge: (e) => expectError(e.of('pkc.brief'), [400], 'invalid_grant', 'invalid_request'),
  },
  {
    id: 'PKC-010',
    title: 'A verifier with other characters is refused.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7636 4.1'],
    why: 'It is no verifier.',
    remedy: 'Answer 400 invalid_request or invalid_grant.',
    judge: (e) => expectError(e.of('pkc.alphabet'), [400], 'invalid_grant', 'invalid_request'),
  },
  {
    id: 'PKC-011',
    title: 'A code survives a wrong verifier.',
    level: 'must',
    basis: 'product',
    rules: ['oauth.md 6.2'],
    why: 'Whoever caught the code could otherwise burn it.',
    remedy: 'Use the code up only when all else is right.',
    judge: (e) =>
      allOf(expectStatus(e.of('pkc.wrong'), 400), expectStatus(e.of('pkc.right'), 200), () =>
        jsonOf(e.of('pkc.right'))['access_token'] === undefined ? 'there is no token' : undefined,
      ),
  },
  {
    id: 'PKC-012',
    title: 'A verifier for a code without a challenge is refused.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 9700 4.8.2 MUST'],
    why: 'Somebody took the challenge out of the request.',
    remedy: 'Answer 400 invalid_grant.',
    needs: ['pages'],
    judge: (e) => expectError(e.of('pkc.unasked'), [400], 'invalid_grant'),
  },
]

function refused(e: Evidence, label: string): Finding {
  const answer = e.of(label)
  return allOf(expectPage(answer, 400), () =>
    parameterOf(locationOf(answer), 'code') === undefined ? undefined : 'a code was given',
  )
}

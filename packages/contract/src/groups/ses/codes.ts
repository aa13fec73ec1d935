import type { Check } from '../../model/check.ts'
import {
  allOf,
  expectHeader,
  expectMember,
  expectNoHeader,
  expectStatus,
  header,
  headers,
  locationOf,
} from '../../model/expect.ts'
import { sessionCookie } from './session-cookie.ts'

/** Rules of codes that open a session. */
export const SES_CODES: readonly Check[] = [
  {
    id: 'SES-017',
    title: 'A passphrase gives a session code.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, POST /auth/session_code'],
    why: 'Apps open the authorize page with it.',
    remedy: 'Answer 201 with {"session_code": …}.',
    needs: ['pages', 'apps'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('ses.code'), 201),
        expectMember(e.of('ses.code'), 'session_code'),
        expectNoHeader(e.of('ses.code'), 'set-cookie'),
      ),
  },
  {
    id: 'SES-018',
    title: 'A wrong passphrase gives no session code, and no challenge about tokens.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 21', 'login.md 5.4'],
    why: 'Published clients would refresh for nothing.',
    remedy: 'Answer 401 without error="invalid_token".',
    needs: ['pages', 'apps'],
    judge: (e) =>
      allOf(expectStatus(e.of('ses.code.wrong'), 401), () =>
        (header(e.of('ses.code.wrong'), 'www-authenticate') ?? '').includes('invalid_token')
          ? 'there is a challenge with invalid_token'
          : undefined,
      ),
  },
  {
    id: 'SES-019',
    title: 'A bad bearer token without a passphrase is answered by a challenge.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 22'],
    why: 'The app learns by the challenge that its token has expired.',
    remedy: 'Answer 401 with error="invalid_token".',
    needs: ['pages', 'apps'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('ses.code.bearer'), 401),
        expectHeader(e.of('ses.code.bearer'), 'www-authenticate', /error="invalid_token"/),
      ),
  },
  {
    id: 'SES-020',
    title: 'A session code opens a session and is gone from the address.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 28', 'seed, GET /auth/authorize'],
    why: 'Addresses end up in histories.',
    remedy: 'Answer a redirect to the same address without the code, with Set-Cookie.',
    needs: ['pages', 'apps'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('ses.code.use'), 302, 303),
        () =>
          locationOf(e.of('ses.code.use')).includes('session_code=')
            ? 'the code is still there'
            : undefined,
        () =>
          headers(e.of('ses.code.use'), 'set-cookie').length === 0
            ? 'there is no cookie'
            : undefined,
        () => expectStatus(e.of('ses.code.page'), 200),
      ),
  },
  {
    id: 'SES-021',
    title: 'A session code is used once.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Limits', 'clients 28'],
    why: 'Whoever finds the address later must not get in.',
    remedy: 'Use the code up in one conditional write.',
    needs: ['pages', 'apps'],
    judge: (e) =>
      allOf(expectStatus(e.of('ses.code.use'), 302, 303), () =>
        sessionCookie(e.of('ses.code.again')) === undefined &&
        locationOf(e.of('ses.code.again')).includes('/auth/login')
          ? undefined
          : 'the second browser is logged in',
      ),
  },
  {
    id: 'SES-022',
    title: 'HEAD uses no session code up.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 4.1', 'RFC 9110 9.2.1'],
    why: 'Programs look at links before people do.',
    remedy: 'Do nothing on HEAD but answer.',
    needs: ['pages', 'apps'],
    judge: (e) =>
      allOf(
        expectNoHeader(e.of('ses.code.head'), 'set-cookie'),
        expectStatus(e.of('ses.code.use'), 302, 303),
        () =>
          headers(e.of('ses.code.use'), 'set-cookie').length === 0
            ? 'the code was used up'
            : undefined,
      ),
  },
]

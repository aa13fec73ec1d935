import type { Check } from '../../model/check.ts'
import type { Answered } from '../../model/evidence.ts'
import {
  allOf,
  expectJson,
  expectMember,
  expectNoHeader,
  expectStatus,
  locationOf,
} from '../../model/expect.ts'
import { formsOf } from '../../drivers/browser.ts'
import { sessionCookie } from './session-cookie.ts'

/** Rules of logging in and out. */
export const SES_CHECKS: readonly Check[] = [
  {
    id: 'SES-001',
    title: 'The login form has a field for the passphrase, and says how to derive what it carries.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, GET /auth/login', 'login.md 3.1'],
    why: 'Programs fill it as the page does.',
    remedy: 'Have a field passphrase, data-salt and data-iterations.',
    needs: ['pages'],
    judge: (e) => {
      const form = formsOf(e.of('ses.form'))[0]
      if (form === undefined) return 'there is no form'
      if (!form.fields.some(({ name }) => name === 'passphrase'))
        return 'there is no passphrase field'
      return form.attributes['data-salt'] && Number(form.attributes['data-iterations']) > 0
        ? undefined
        : 'data-salt or data-iterations is missing'
    },
  },
  {
    id: 'SES-002',
    title: 'A login is answered by 302 with a session cookie.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, POST /auth/login'],
    why: 'That is what a session is.',
    remedy: 'Answer 302 with Set-Cookie and Location.',
    needs: ['pages', 'apps'],
    judge: (e) =>
      allOf(expectStatus(e.of('ses.right'), 302), () =>
        sessionCookie(e.of('ses.right')) === undefined ? 'there is no session cookie' : undefined,
      ),
  },
  {
    id: 'SES-003',
    title: 'No script reads the session cookie, and other sites do not send it.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 3.5', 'RFC 6265bis 4.1.2'],
    why: 'Whoever has the cookie is the owner.',
    remedy: 'Set HttpOnly and SameSite=Lax.',
    needs: ['pages', 'apps'],
    judge: (e) => {
      const cookie = sessionCookie(e.of('ses.right')) ?? ''
      if (!/;\s*HttpOnly/i.test(cookie)) return 'HttpOnly is missing'
      return /;\s*SameSite=(Lax|Strict)/i.test(cookie) ? undefined : 'SameSite is missing'
    },
  },
  {
    id: 'SES-004',
    title: 'Over https the session cookie is secure, and over http it is not.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 3.5'],
    why: 'It would cross the network in clear, or browsers would drop it.',
    remedy: 'Set Secure where the base is https, and only there.',
    needs: ['pages', 'apps'],
    judge: (e) => {
      const isSecure = /;\s*Secure/i.test(sessionCookie(e.of('ses.right')) ?? '')
      if (isSecure === e.target.startsWith('https:')) return undefined
      return isSecure ? 'Secure is there' : 'Secure is missing'
    },
  },
  {
    id: 'SES-005',
    title: 'A login that asks for JSON is answered by 200 with where to go.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 5.1'],
    why: 'Scripts of pages cannot read a redirect.',
    remedy: 'Answer {"redirect": …} and Set-Cookie.',
    needs: ['pages', 'apps'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('ses.json'), 200),
        expectJson(e.of('ses.json')),
        expectMember(e.of('ses.json'), 'redirect'),
        () =>
          sessionCookie(e.of('ses.json')) === undefined ? 'there is no session cookie' : undefined,
      ),
  },
  {
    id: 'SES-006',
    title: 'A wrong passphrase is answered by 401 without a session.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 5.1'],
    why: 'Nobody gets in.',
    remedy: 'Answer 401 with the form.',
    needs: ['pages', 'apps'],
    judge: (e) => refused(e.of('ses.wrong'), 401),
  },
  {
    id: 'SES-007',
    title: 'An empty passphrase is answered as a wrong one.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 3.2'],
    why: 'It must not be a way in, nor tell anything.',
    remedy: 'Answer 401 with the form.',
    needs: ['pages', 'apps'],
    judge: (e) => refused(e.of('ses.empty'), 400, 401),
  },
  {
    id: 'SES-008',
    title: 'A page elsewhere cannot log the owner in.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 4.4'],
    why: 'The owner would work in the space of somebody else.',
    remedy: 'Answer 403 to another origin.',
    needs: ['pages', 'apps'],
    judge: (e) => refused(e.of('ses.cross'), 403),
  },
  {
    id: 'SES-009',
    title: 'Each login has another session.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 2.1'],
    why: 'A session that was planted before must not become that of the owner.',
    remedy: 'Draw a new identifier at each login.',
    needs: ['pages', 'apps'],
    judge: (e) => {
      const value = (label: string): string | undefined =>
        sessionCookie(e.of(label))?.split(';', 1)[0]
      return value('ses.right') === value('ses.json') ? 'both have the same cookie' : undefined
    },
  },
  {
    id: 'SES-010',
    title: 'Who is logged in is sent on, with an empty fragment.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, GET /auth/login'],
    why: 'The browser would otherwise carry its own fragment along.',
    remedy: 'Answer 302 with a Location that ends with "#".',
    needs: ['pages'],
    judge: (e) =>
      allOf(expectStatus(e.of('ses.owner'), 302), () =>
        locationOf(e.of('ses.owner')).endsWith('#') ? undefined : 'Location does not end with #',
      ),
  },
  {
    id: 'SES-011',
    title: 'The fragment of a target is replaced when the owner is logged in already.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, GET /auth/login'],
    why: 'It is always replaced by an empty one.',
    remedy: 'Cut the fragment and write "#".',
    needs: ['pages', 'apps'],
    judge: (e) => {
      const location = locationOf(e.of('ses.owner.app'))
      if (!location.startsWith(`${e.note('ses.home')}notes`)) return `it leads to ${location}`
      return location.endsWith('#') ? undefined : `it leads to ${location}`
    },
  },
  {
    id: 'SES-012',
    title: 'Nobody is logged out without the token of an app.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, DELETE /auth/login', 'seed, Authentication 5'],
    why: 'A page elsewhere could log the owner out.',
    remedy: 'Answer 401 without a good app token, and keep the session.',
    needs: ['pages', 'apps'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('ses.leave.without'), 401),
        expectStatus(e.of('ses.leave.broken'), 401),
        expectStatus(e.of('ses.leave.still'), 302),
      ),
  },
  {
    id: 'SES-013',
    title: 'A logout ends the session.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, DELETE /auth/login'],
    why: 'That is what was asked for.',
    remedy: 'Delete the session, answer 204 and clear the cookie.',
    needs: ['pages', 'apps'],
    judge: (e) =>
      allOf(expectStatus(e.of('ses.leave'), 204), expectStatus(e.of('ses.leave.after'), 200)),
  },
  {
    id: 'SES-014',
    title: 'A cookie that was kept opens nothing after a logout.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 2.4'],
    why: 'Clearing the cookie of one browser is not enough.',
    remedy: 'Look up the session at each request.',
    needs: ['pages', 'apps'],
    judge: (e) =>
      allOf(expectStatus(e.of('ses.leave'), 204), expectStatus(e.of('ses.leave.old'), 200)),
  },
  {
    id: 'SES-015',
    title: 'No other origin may log the owner out.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 4.5'],
    why: 'Only apps of the owner may.',
    remedy: 'Name no other origin in the answer to the preflight.',
    needs: ['pages', 'apps'],
    judge: (e) => expectNoHeader(e.of('ses.leave.preflight'), 'access-control-allow-origin'),
  },
  {
    id: 'SES-016',
    title: 'Other sessions are not ended without a token of the own one.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, DELETE /auth/login/others'],
    why: 'Whoever has one session could otherwise end all.',
    remedy: 'Answer 401 unless token and cookie belong together.',
    needs: ['pages', 'apps'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('ses.others.without'), 401),
        expectStatus(e.of('ses.others.foreign'), 401),
        expectStatus(e.of('ses.others.before'), 302),
      ),
  },
  {
    id: 'SES-023',
    title: 'HEAD of the form has no body.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 9110 9.3.2 MUST NOT'],
    why: 'It would be taken for the next answer.',
    remedy: 'Answer the headers alone.',
    needs: ['pages'],
    judge: (e) =>
      allOf(expectStatus(e.of('ses.head'), 200), () =>
        e.of('ses.head').answer.body === '' ? undefined : 'there is a body',
      ),
  },
]

function refused(answer: Answered, ...statuses: readonly number[]): string | undefined {
  return allOf(expectStatus(answer, ...statuses), expectNoHeader(answer, 'location'), () =>
    sessionCookie(answer) === undefined ? undefined : `${answer.label}: there is a session cookie`,
  )
}

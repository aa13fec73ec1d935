import type { Check } from '../../model/check.ts'
import {
  allOf,
  expectHeader,
  expectMember,
  expectPage,
  expectRefused,
  expectStatus,
} from '../../model/expect.ts'
import {
  expectField,
  expectNoField,
  expectNoSession,
  expectSameAnswer,
  expectSession,
} from '../login-answers.ts'
import { checksWith } from '../shaped.ts'

export const WAY_ONBOARDING: readonly Check[] = checksWith(
  { needs: ['pages', 'apps', 'fresh', 'mailbox'], basis: 'seed' },
  [
    [
      'WAY-007',
      'A space without an owner asks for no passphrase.',
      'seed, GET /auth/login; login.md 4.8',
      'There is none yet.',
      'Show the page that asks for the link.',
      (e) =>
        allOf(
          expectPage(e.of('way.before.login'), 200),
          expectNoField(e.of('way.before.login'), 'passphrase'),
        ),
    ],
    [
      'WAY-008',
      'A program that logs in before that is told so with 412.',
      'login.md 4.8',
      'A page with 200 would read as success.',
      'Answer 412 with the code onboarding_needed.',
      (e) =>
        allOf(expectStatus(e.of('way.before.json'), 412), () =>
          expectMember(e.of('way.before.json'), 'code', 'onboarding_needed'),
        ),
    ],
    [
      'WAY-009',
      'The onboarding link shows a form with salt, iterations and the token.',
      'seed, GET /auth/passphrase',
      'The page derives the first passphrase with them.',
      'Show data-salt, iterations and register_token.',
      (e) => {
        const page = e.of('way.choose')
        return allOf(
          expectPage(page, 200),
          expectField(page, 'passphrase'),
          expectField(page, 'iterations'),
          expectField(page, 'register_token'),
          () => (page.answer.body.includes('data-salt') ? undefined : 'data-salt is missing'),
        )
      },
    ],
    [
      'WAY-010',
      'A wrong token shows no form and chooses no passphrase.',
      'seed, GET /auth/passphrase; login.md 5.5',
      'Whoever comes first would own the space.',
      'Compare the token with those that were sent.',
      (e) =>
        allOf(
          expectNoField(e.of('way.before.wrong'), 'register_token'),
          expectStatus(e.of('way.onboard.wrong'), 400),
          expectNoSession(e.of('way.onboard.wrong')),
        ),
    ],
    [
      'WAY-011',
      'Another site cannot choose the first passphrase.',
      'login.md 4.4',
      'A page that knows a leaked link could own the space through a visitor.',
      'Answer 403 to forms of other origins.',
      (e) =>
        allOf(
          expectStatus(e.of('way.onboard.cross'), 403),
          expectNoSession(e.of('way.onboard.cross')),
        ),
    ],
    [
      'WAY-012',
      'Too few iterations are refused with 422, and the link stays good.',
      'login.md 5.5, 3.1',
      'A weak derivation would be kept for years.',
      'Refuse numbers outside of 50 000 to 5 000 000.',
      (e) =>
        allOf(
          expectStatus(e.of('way.onboard.iterations'), 422),
          expectNoSession(e.of('way.onboard.iterations')),
          expectSession(e.of('way.onboard')),
        ),
    ],
    [
      'WAY-013',
      'The first passphrase opens a session and leads on.',
      'seed, POST /settings/passphrase',
      'The owner would otherwise type it a second time.',
      'Set the session cookie and redirect.',
      (e) =>
        allOf(
          expectStatus(e.of('way.onboard'), 302, 303),
          expectHeader(e.of('way.onboard'), 'location', /^https?:/),
          expectSession(e.of('way.onboard')),
          expectStatus(e.of('way.onboard.logged-in'), 302),
        ),
    ],
    [
      'WAY-014',
      'The onboarding link works once.',
      'login.md 5.5',
      'Who finds the mail later would take the space over.',
      'Forget the tokens with the first passphrase.',
      (e) =>
        allOf(
          expectRefused(e.of('way.onboard.again')),
          expectNoSession(e.of('way.onboard.again')),
          expectNoField(e.of('way.choose.after'), 'passphrase'),
        ),
    ],
    [
      'WAY-015',
      'Asking for the link again is answered alike before and after.',
      'login.md 5.5',
      'The answer would tell which spaces have no owner yet.',
      'Answer 200 with the status sent for all.',
      (e) =>
        allOf(
          expectStatus(e.of('way.resend'), 200),
          expectMember(e.of('way.resend'), 'status', 'sent'),
          expectSameAnswer(e.of('way.resend'), e.of('way.resend.after')),
        ),
    ],
  ],
)

import type { Check } from '../../model/check.ts'
import {
  allOf,
  expectError,
  expectMember,
  expectNoMember,
  expectRefused,
  expectStatus,
  jsonOf,
} from '../../model/expect.ts'
import { expectField, expectNoSession, expectSession } from '../login-answers.ts'
import { sessionCookie } from '../ses/session-cookie.ts'
import { checksWith } from '../shaped.ts'

const SEED: readonly Check[] = checksWith(
  { needs: ['pages', 'apps', 'fresh', 'mailbox'], basis: 'seed' },
  [
    [
      'TFA-001',
      'A right passphrase gives a token for the second step, and no session.',
      'seed, POST /auth/login; login.md 5.1',
      'The passphrase alone must not be enough.',
      'Answer 200 with two_factor_token, and set no session cookie.',
      (e) =>
        allOf(
          expectStatus(e.of('tfa.pending'), 200),
          expectMember(e.of('tfa.pending'), 'two_factor_token'),
          expectMember(e.of('tfa.pending'), 'redirect'),
          expectNoSession(e.of('tfa.pending')),
          expectStatus(e.of('tfa.pending.still'), 200),
        ),
    ],
    [
      'TFA-002',
      'The code comes by mail, and is in no answer.',
      'seed, two-factor authentication',
      'Who has the passphrase alone would have both.',
      'Mail the code to the owner.',
      (e) => {
        const text = String(jsonOf(e.of('tfa.pending.mail'))['text'] ?? '')
        const [code] = /<passcode \d+>/.exec(text) ?? []
        if (code === undefined) return 'tfa.pending.mail: there is no code in the mail'
        return e.of('tfa.pending').answer.body.includes(code)
          ? 'tfa.pending: the body holds the code'
          : undefined
      },
    ],
    [
      'TFA-003',
      'The page of the second step has a field for the code and the token.',
      'seed, POST /auth/login; login.md 5.1',
      'The owner types the code there.',
      'Show two-factor-passcode and two-factor-token.',
      (e) =>
        allOf(
          expectStatus(e.of('tfa.html'), 200),
          expectField(e.of('tfa.html'), 'two-factor-passcode'),
          expectField(e.of('tfa.html'), 'two-factor-token'),
          expectNoSession(e.of('tfa.html')),
        ),
    ],
    [
      'TFA-004',
      'A wrong code is refused with 401 and opens no session.',
      'seed, POST /auth/twofactor',
      'It is the second factor.',
      'Answer 401.',
      (e) => allOf(expectError(e.of('tfa.wrong'), [401]), () => expectNoSession(e.of('tfa.wrong'))),
    ],
    [
      'TFA-005',
      'The right code opens the session.',
      'seed, POST /auth/twofactor',
      'The owner is in.',
      'Answer 200 with redirect and the session cookie.',
      (e) =>
        allOf(
          expectStatus(e.of('tfa.right'), 200),
          expectMember(e.of('tfa.right'), 'redirect'),
          expectSession(e.of('tfa.right')),
          expectStatus(e.of('tfa.right.after'), 302),
        ),
    ],
    [
      'TFA-006',
      'A code is dead once it was used.',
      'login.md 2.3, 5.1',
      'Who looks over a shoulder would log in, too.',
      'Forget the token with the first success.',
      (e) => allOf(expectError(e.of('tfa.used'), [401]), () => expectNoSession(e.of('tfa.used'))),
    ],
    [
      'TFA-007',
      'A browser that is trusted skips the second step.',
      'seed, POST /auth/twofactor',
      'The owner asked for it.',
      'Take the trusted-device-token instead of a code.',
      (e) =>
        allOf(
          expectMember(e.of('tfa.right'), 'two_factor_trusted_device_token'),
          expectStatus(e.of('tfa.trusted'), 200),
          expectNoMember(e.of('tfa.trusted'), 'two_factor_token'),
          () => expectSession(e.of('tfa.trusted')),
        ),
    ],
    [
      'TFA-008',
      'An unknown token of a trusted browser leads to the second step.',
      'login.md 5.1',
      'Anybody could make one up.',
      'Ignore it.',
      (e) =>
        allOf(
          expectMember(e.of('tfa.untrusted'), 'two_factor_token'),
          expectNoSession(e.of('tfa.untrusted')),
        ),
    ],
  ],
)

const PRODUCT: readonly Check[] = checksWith(
  { needs: ['pages', 'apps', 'fresh', 'mailbox'], basis: 'product' },
  [
    [
      'TFA-009',
      'After five wrong codes the right one is refused.',
      'login.md 2.3, 4.7',
      'Six digits can be guessed.',
      'Count the tries of a token, and let it die.',
      (e) =>
        allOf(
          ...e.all('tfa.five.wrong.').map((one) => expectError(one, [401])),
          expectError(e.of('tfa.five.right'), [401]),
          () => expectNoSession(e.of('tfa.five.right')),
        ),
    ],
    [
      'TFA-010',
      'Of answers at the same time one opens a session.',
      'login.md 2.3',
      'A code that is used twice is used by two.',
      'Use the token up in one step.',
      (e) => {
        const answers = e.all('tfa.parallel.answer.')
        const opened = answers.filter((one) => sessionCookie(one) !== undefined)
        return opened.length === 1
          ? allOf(...answers.map((one) => expectStatus(one, 200, 401, 429)))
          : `${opened.length} session cookies came for one code`
      },
    ],
    [
      'TFA-011',
      'A token for one purpose is none for another.',
      'login.md 2.3, 3.4',
      'What was begun for a program would log a browser in.',
      'Keep the purpose with the token.',
      (e) =>
        allOf(expectError(e.of('tfa.purpose'), [401]), () => expectNoSession(e.of('tfa.purpose'))),
    ],
    [
      'TFA-012',
      'An app that logs in directly is asked by 401 with a token and no error.',
      'login.md 5.1; seed, POST /auth/login/flagship',
      'That is how apps tell it from a wrong passphrase.',
      'Answer 401 with two_factor_token alone.',
      (e) =>
        allOf(
          expectStatus(e.of('tfa.app'), 401),
          expectMember(e.of('tfa.app'), 'two_factor_token'),
          expectNoMember(e.of('tfa.app'), 'error'),
        ),
    ],
    [
      'TFA-013',
      'A session code is refused with 403 and a token until the code is right.',
      'login.md 5.4; seed, POST /auth/session_code',
      'It opens a session.',
      'Answer 403 with two_factor_token, and 201 for the right pair.',
      (e) =>
        allOf(
          expectStatus(e.of('tfa.code'), 403),
          expectMember(e.of('tfa.code'), 'two_factor_token'),
          expectNoMember(e.of('tfa.code'), 'session_code'),
          expectStatus(e.of('tfa.code.right'), 201),
          expectMember(e.of('tfa.code.right'), 'session_code'),
        ),
    ],
    [
      'TFA-014',
      'A slip with a session code keeps the token, so that no second mail is needed.',
      'login.md 5.4',
      'Each slip would mail a code.',
      'Answer the same token as long as it lives.',
      (e) =>
        allOf(expectStatus(e.of('tfa.code.wrong'), 403), () =>
          expectMember(
            e.of('tfa.code.wrong'),
            'two_factor_token',
            jsonOf(e.of('tfa.code'))['two_factor_token'],
          ),
        ),
    ],
    [
      'TFA-015',
      'The second step is switched on by the passphrase and a code that was mailed.',
      'login.md 7, 3.4',
      'An address that does not work would lock the owner out.',
      'Ask for both.',
      (e) =>
        allOf(
          expectRefused(e.of('tfa.on.without')),
          expectStatus(e.of('tfa.on.ask'), 204),
          expectRefused(e.of('tfa.on.wrong')),
          expectStatus(e.of('tfa.on'), 204),
        ),
    ],
    [
      'TFA-016',
      'It is switched off by the passphrase and a code alone.',
      'login.md 7; security.md 37',
      'A browser that is left open would be enough otherwise.',
      'Ask for the passphrase, then for the pair.',
      (e) =>
        allOf(
          expectRefused(e.of('tfa.off.without')),
          expectStatus(e.of('tfa.off.ask'), 200),
          expectMember(e.of('tfa.off.ask'), 'two_factor_token'),
          expectMember(e.of('tfa.off.still'), 'two_factor_token'),
          expectStatus(e.of('tfa.off'), 204),
          expectSession(e.of('tfa.off.after')),
        ),
    ],
  ],
)

export const TFA_CHECKS: readonly Check[] = [...SEED, ...PRODUCT]

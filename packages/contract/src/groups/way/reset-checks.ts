import type { Check } from '../../model/check.ts'
import {
  allOf,
  expectHeader,
  expectMember,
  expectPage,
  expectStatus,
  jsonOf,
} from '../../model/expect.ts'
import { expectField, expectLeads, expectNoSession, expectSession } from '../login-answers.ts'
import { checksWith } from '../shaped.ts'

export const WAY_RESET: readonly Check[] = checksWith(
  { needs: ['pages', 'apps', 'fresh', 'mailbox'], basis: 'seed' },
  [
    [
      'WAY-016',
      'The reminder comes by mail, and is in no answer.',
      'seed, POST /auth/hint; login.md 5.5',
      'It is for the owner alone.',
      'Mail it, and answer that something was sent.',
      (e) => {
        const answer = e.of('way.hint')
        return allOf(
          expectStatus(answer, 200),
          expectMember(answer, 'status', 'sent'),
          () =>
            Object.keys(jsonOf(answer)).length === 1 ? undefined : 'way.hint: status is not alone',
          () => expectMember(e.of('way.hint.mail'), 'text'),
        )
      },
    ],
    [
      'WAY-017',
      'Asking for a new passphrase leads to the login and mails a link.',
      'seed, POST /auth/passphrase_reset',
      'The owner finds the way back by it.',
      'Redirect to /auth/login with msg, and mail the link.',
      (e) =>
        allOf(
          expectStatus(e.of('way.reset'), 302),
          expectHeader(e.of('way.reset'), 'location', /\/auth\/login\?msg=/),
          () => expectMember(e.of('way.reset.mail'), 'text'),
        ),
    ],
    [
      'WAY-018',
      'A second request is answered as the first one.',
      'login.md 5.5',
      'The answer would tell that a link is under way.',
      'Answer alike whether a mail is sent.',
      (e) =>
        allOf(expectStatus(e.of('way.reset.second'), 302), () => {
          const [one, other] = ['way.reset', 'way.reset.second'].map((label) =>
            e.of(label).answer.headers.find(([name]) => name.toLowerCase() === 'location'),
          )
          return one?.[1] === other?.[1] ? undefined : 'way.reset.second: it leads elsewhere'
        }),
    ],
    [
      'WAY-019',
      'The link shows a form with salt, iterations, token and csrf token.',
      'seed, GET /auth/passphrase_renew',
      'The page derives the new passphrase with them.',
      'Show data-salt, iterations, passphrase_reset_token and csrf_token.',
      (e) => {
        const page = e.of('way.renew.page')
        return allOf(
          expectPage(page, 200),
          expectField(page, 'passphrase'),
          expectField(page, 'iterations'),
          expectField(page, 'passphrase_reset_token'),
          expectField(page, 'csrf_token'),
        )
      },
    ],
    [
      'WAY-020',
      'A new passphrase needs the csrf token, and must not be empty; the link stays good.',
      'seed, POST /auth/passphrase_renew; login.md 5.5',
      'Another site could choose it, and a slip would cost the link.',
      'Answer 400 and keep the token.',
      (e) =>
        allOf(
          expectStatus(e.of('way.renew.no.csrf'), 400),
          expectStatus(e.of('way.renew.empty'), 400, 422),
          expectStatus(e.of('way.renew'), 302),
        ),
    ],
    [
      'WAY-021',
      'A new passphrase leads to the login, and opens no session by itself.',
      'seed, POST /auth/passphrase_renew; login.md 5.5',
      'A second factor would be walked around.',
      'Redirect to /auth/login without a session cookie.',
      (e) =>
        allOf(
          expectStatus(e.of('way.renew'), 302),
          expectLeads(
            e.of('way.renew'),
            e.of('way.renew').request.url.replace(/\/auth\/.*$/, '/auth/login'),
          ),
          expectNoSession(e.of('way.renew')),
        ),
    ],
    [
      'WAY-022',
      'The link works once.',
      'seed, POST /auth/passphrase_renew',
      'Who reads the mail later would take the space over.',
      'Forget the token with the new passphrase.',
      (e) =>
        allOf(
          expectStatus(e.of('way.renew'), 302),
          expectStatus(e.of('way.renew.again'), 400),
          expectStatus(e.of('way.renew.link.again'), 400),
        ),
    ],
    [
      'WAY-023',
      'The new passphrase logs in, and the old one does not.',
      'seed, POST /auth/passphrase_renew',
      'That is what it was asked for.',
      'Replace the stored hash.',
      (e) =>
        allOf(
          expectStatus(e.of('way.renew.old'), 401),
          expectNoSession(e.of('way.renew.old')),
          expectStatus(e.of('way.renew.new'), 302),
          expectSession(e.of('way.renew.new')),
        ),
    ],
    [
      'WAY-024',
      'Every session ends with the old passphrase.',
      'login.md 7.1',
      'Whoever knew the old one would stay logged in.',
      'End the sessions when the passphrase is replaced.',
      (e) =>
        allOf(
          expectPage(e.of('way.renew.session'), 200),
          expectField(e.of('way.renew.session'), 'passphrase'),
        ),
    ],
  ],
)

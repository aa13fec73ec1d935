import type { Check, Finding } from '../../model/check.ts'
import type { Evidence } from '../../model/evidence.ts'
import {
  allOf,
  expectError,
  expectHeader,
  expectMember,
  expectPage,
  expectStatus,
} from '../../model/expect.ts'
import { expectField, expectNoSession, expectSession } from '../login-answers.ts'
import { checksWith } from '../shaped.ts'

const RETRY = /^[1-9]\d{0,4}$/

/** The answer over a limit, and none before it. */
function expectLimit(e: Evidence, label: string, ...before: readonly number[]): Finding {
  const over = e.of(label)
  const first = e.of(`${label}.try.1`)
  return allOf(
    expectStatus(over, 429),
    expectHeader(over, 'retry-after', RETRY),
    expectStatus(first, ...before),
  )
}

export const LIM_CHECKS: readonly Check[] = checksWith(
  { needs: ['pages', 'apps', 'fresh'], basis: 'product' },
  [
    [
      'LIM-001',
      'Wrong passphrases are limited: 429 with Retry-After.',
      'login.md 4.7; security.md 21',
      'A passphrase could be guessed.',
      'Count failures by address, and answer 429.',
      (e) =>
        allOf(expectLimit(e, 'lim.login', 401), () =>
          expectMember(e.of('lim.login'), 'code', 'rate_limited'),
        ),
    ],
    [
      'LIM-002',
      'Over the limit a right passphrase of the same browser is refused, too.',
      'login.md 4.7',
      'The answer would tell which guess was right.',
      'Refuse before anything is compared.',
      (e) =>
        allOf(expectStatus(e.of('lim.login.right'), 429), expectNoSession(e.of('lim.login.right'))),
    ],
    [
      'LIM-003',
      'Over the limit a browser sees the form again, with Retry-After.',
      'login.md 4.7',
      'An owner who mistyped has to know how to go on.',
      'Answer the form with 429.',
      (e) =>
        allOf(
          expectPage(e.of('lim.login.html'), 429),
          expectHeader(e.of('lim.login.html'), 'retry-after', RETRY),
          expectField(e.of('lim.login.html'), 'passphrase'),
        ),
    ],
    [
      'LIM-004',
      'One limit holds for all the ways in which a passphrase is tried.',
      'login.md 4.7',
      'Guessing would go on elsewhere.',
      'Count them together.',
      (e) =>
        allOf(
          expectError(e.of('lim.login.code'), [429]),
          expectHeader(e.of('lim.login.code'), 'retry-after', RETRY),
        ),
    ],
    [
      'LIM-005',
      "The owner's own browser is let in while strangers are kept out.",
      'login.md 4.7; security.md 22',
      'Anybody could keep an owner out.',
      'Count the failures of known browsers apart.',
      (e) => expectStatus(e.of('lim.known'), 302),
    ],
    [
      'LIM-006',
      'Limits of one space do not touch another.',
      'login.md 4.7',
      'One owner would pay for the guesses at another.',
      'Keep counters by instance.',
      (e) =>
        allOf(
          expectStatus(e.of('lim.other'), 302),
          expectSession(e.of('lim.other')),
          expectStatus(e.of('lim.other.renew'), 400),
        ),
    ],
    [
      'LIM-007',
      'Registrations are limited: 429 with Retry-After.',
      'oauth.md 2.6',
      'A stranger could fill the space with clients.',
      'Count them by the hour.',
      (e) =>
        allOf(expectLimit(e, 'lim.register', 201), () =>
          expectMember(e.of('lim.register'), 'error'),
        ),
    ],
    [
      'LIM-008',
      'A limit of registrations keeps nobody from reading a client.',
      'oauth.md 2.6',
      'Clients that are there go on.',
      'Count what makes clients alone.',
      (e) => expectStatus(e.of('lim.register.read'), 200, 201),
    ],
    [
      'LIM-009',
      'Wrong codes of confirmations are limited: 429 with Retry-After.',
      'login.md 4.7',
      'A confirmation could be guessed.',
      'Count them by address.',
      (e) => expectLimit(e, 'lim.confirm', 401),
    ],
    [
      'LIM-010',
      'Wrong links to a new passphrase are limited: 429 with Retry-After.',
      'login.md 4.7',
      'A link could be guessed.',
      'Count them by address.',
      (e) => expectLimit(e, 'lim.renew', 400),
    ],
  ],
)

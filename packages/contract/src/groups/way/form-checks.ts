import type { Check } from '../../model/check.ts'
import { allOf, expectError, expectPage, expectStatus } from '../../model/expect.ts'
import { expectField, expectSameAnswer } from '../login-answers.ts'
import { checksWith } from '../shaped.ts'

const SEED: readonly Check[] = checksWith({ needs: ['pages'], basis: 'seed' }, [
  [
    'WAY-001',
    'The page for a new passphrase has a form with a csrf token.',
    'seed, GET /auth/passphrase_reset',
    'Other sites could otherwise ask for mails.',
    'Add the field csrf_token to the form.',
    (e) => allOf(expectPage(e.of('way.form'), 200), expectField(e.of('way.form'), 'csrf_token')),
  ],
  [
    'WAY-002',
    'A reset without its csrf token is refused with 400, one with a wrong token with 403.',
    'seed, POST /auth/passphrase_reset; login.md 4.4',
    'Other sites could otherwise ask for mails.',
    'Compare the field csrf_token with the cookie.',
    (e) =>
      allOf(
        expectStatus(e.of('way.reset.no.csrf'), 400),
        expectStatus(e.of('way.reset.csrf'), 403),
      ),
  ],
  [
    'WAY-003',
    'A link that is absent, broken or wrong is refused with 400, and all look alike.',
    'seed, GET /auth/passphrase_renew; login.md 5.5',
    'Different answers would tell whether a reset is under way.',
    'Answer one page for every wrong token.',
    (e) => {
      const [wrong, none, broken] = ['wrong', 'none', 'broken'].map((name) =>
        e.of(`way.renew.${name}`),
      )
      if (wrong === undefined || none === undefined || broken === undefined) return 'no answer'
      return allOf(
        expectPage(wrong, 400),
        expectSameAnswer(wrong, none),
        expectSameAnswer(wrong, broken),
      )
    },
  ],
])

const PRODUCT: readonly Check[] = checksWith({ needs: ['pages'], basis: 'product' }, [
  [
    'WAY-004',
    'The form refuses to lead elsewhere.',
    'login.md 4.6',
    'Its link back would be an open redirector.',
    'Answer 400 for a redirect that is not of the instance.',
    (e) => expectPage(e.of('way.form.hostile'), 400),
  ],
  [
    'WAY-005',
    'The word from leads to no host of its own.',
    'login.md 5.5',
    'A link of the page would lead to where an attacker says.',
    'Take the word settings alone.',
    (e) => {
      const page = e.of('way.form.from')
      return allOf(expectStatus(page, 200), () =>
        /(href|action)="https?:\/\/evil/.test(page.answer.body)
          ? 'way.form.from: the page leads to the host of from'
          : undefined,
      )
    },
  ],
  [
    'WAY-006',
    'The reminder is not mailed for other sites.',
    'login.md 4.4',
    'Other sites could make browsers of visitors send mails.',
    'Answer 403 to requests of other origins.',
    (e) => expectError(e.of('way.hint.cross'), [403]),
  ],
])

export const WAY_FORMS: readonly Check[] = [...SEED, ...PRODUCT]

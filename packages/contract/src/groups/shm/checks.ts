import type { Check } from '../../model/check.ts'
import {
  allOf,
  expectError,
  expectMember,
  expectNoMember,
  expectPage,
  expectRefused,
  expectStatus,
  jsonOf,
  parameterOf,
} from '../../model/expect.ts'
import { expectField, expectLeads, expectNoSession } from '../login-answers.ts'
import { checksWith } from '../shaped.ts'

const PATHS = ['seed', 'clients'] as const

const SHARING: readonly Check[] = checksWith({ needs: ['pages', 'sharing'], basis: 'seed' }, [
  [
    'SHM-001',
    'A sharing is asked for with state and sharing_id, else a page says what is missing.',
    'seed, GET /auth/authorize/sharing; oauth.md 5.9',
    'Nobody could tell which invitation is meant.',
    'Answer a page with 400.',
    (e) =>
      allOf(
        expectPage(e.of('shm.sharing.no.state'), 400),
        expectPage(e.of('shm.sharing.no.id'), 400),
        () =>
          e.of('shm.sharing.no.state').answer.body.includes('state')
            ? undefined
            : 'shm.sharing.no.state: the page does not name state',
        () =>
          e.of('shm.sharing.no.id').answer.body.includes('sharing_id')
            ? undefined
            : 'shm.sharing.no.id: the page does not name sharing_id',
      ),
  ],
  [
    'SHM-002',
    'A sharing that is not there is refused by a page.',
    'oauth.md 5.9',
    'The owner followed an old link.',
    'Answer a page with 400.',
    (e) => expectPage(e.of('shm.sharing.unknown'), 400),
  ],
  [
    'SHM-003',
    'A stranger who asks for a sharing is sent to the login.',
    'seed, GET /auth/authorize/sharing',
    'Only the owner can accept it.',
    'Redirect to /auth/login.',
    (e) =>
      allOf(
        expectStatus(e.of('shm.sharing.stranger'), 302),
        expectLeads(e.of('shm.sharing.stranger'), `${e.target}/auth/login`),
      ),
  ],
  [
    'SHM-004',
    'A sharing is accepted with a csrf token alone, and refused by the owner alone.',
    'oauth.md 5.9',
    'Another site could accept it.',
    'Answer 400 without the token, and 401 to strangers.',
    (e) =>
      allOf(
        expectStatus(e.of('shm.sharing.no.csrf'), 400, 403),
        expectStatus(e.of('shm.sharing.cancel.stranger'), 401),
      ),
  ],
  [
    'SHM-005',
    'Both paths of the password of a link answer 404 for a link that is not there.',
    'seed, POST /auth/share-by-link/password; oauth.md 9',
    'Published apps use one or the other.',
    'Serve both paths alike.',
    (e) =>
      allOf(
        ...PATHS.flatMap((path) =>
          ['unknown', 'missing', 'broken'].map((name) =>
            expectError(e.of(`shm.link.${path}.${name}`), [404]),
          ),
        ),
      ),
  ],
  [
    'SHM-006',
    'The password of a link is posted: a GET is refused.',
    'seed, POST /auth/share-by-link/password; RFC 9110 15.5.6',
    'It would stand in addresses and logs.',
    'Answer 405 with Allow.',
    (e) => allOf(...PATHS.map((path) => expectStatus(e.of(`shm.link.${path}.get`), 405))),
  ],
])

const MOVE: readonly Check[] = checksWith({ needs: ['pages', 'sharing'], basis: 'seed' }, [
  [
    'SHM-007',
    'A move needs state and a client that is known.',
    'seed, GET /auth/authorize/move; oauth.md 5.10',
    'It hands all data over.',
    'Answer a page with 400.',
    (e) =>
      allOf(
        expectPage(e.of('shm.move.no.state'), 400),
        expectPage(e.of('shm.move.no.client'), 400),
      ),
  ],
  [
    'SHM-008',
    'A move leads to an address of its client alone, when it is asked and when it is answered.',
    'seed, GET /auth/authorize/move; oauth.md 5.10',
    'The code for all data would go elsewhere.',
    'Compare redirect_uri in both steps.',
    (e) =>
      allOf(
        expectPage(e.of('shm.move.hostile'), 400),
        expectStatus(e.of('shm.move.other'), 400),
        expectNoMember(e.of('shm.move.other'), 'redirect'),
      ),
  ],
  [
    'SHM-009',
    'A move asks for the passphrase, also of the owner who is logged in.',
    'seed, GET /auth/authorize/move',
    'A browser that is left open must not give all data away.',
    'Show the passphrase form in any case.',
    (e) =>
      allOf(
        expectPage(e.of('shm.move.page'), 200),
        expectField(e.of('shm.move.page'), 'passphrase'),
        expectPage(e.of('shm.move.owner'), 200),
        expectField(e.of('shm.move.owner'), 'passphrase'),
      ),
  ],
  [
    'SHM-010',
    'A move without its csrf token is refused.',
    'oauth.md 5.10',
    'Another site could try passphrases.',
    'Answer 400.',
    (e) =>
      allOf(
        expectRefused(e.of('shm.move.no.csrf')),
        expectNoMember(e.of('shm.move.no.csrf'), 'redirect'),
      ),
  ],
  [
    'SHM-011',
    'A wrong passphrase is refused with 401, and gives no code.',
    'seed, POST /auth/authorize/move',
    'It hands all data over.',
    'Answer 401 with an error.',
    (e) =>
      allOf(expectError(e.of('shm.move.wrong'), [401]), () =>
        expectNoMember(e.of('shm.move.wrong'), 'redirect'),
      ),
  ],
  [
    'SHM-012',
    'The right one answers where the browser goes, as JSON, with code, state, used and vault.',
    'seed, POST /auth/authorize/move; oauth.md 5.10',
    'The other server reads them there.',
    'Answer 200 with redirect.',
    (e) => {
      const redirect = String(jsonOf(e.of('shm.move.right'))['redirect'] ?? '')
      const has = (name: string): string | undefined =>
        parameterOf(redirect, name) === undefined ? `redirect has no ${name}` : undefined
      return allOf(
        expectStatus(e.of('shm.move.right'), 200),
        redirect.startsWith(e.note('shm.move.redirect'))
          ? undefined
          : `redirect leads to ${redirect}`,
        has('code'),
        parameterOf(redirect, 'state') === e.note('shm.move.state')
          ? undefined
          : 'redirect has another state',
        /^\d+$/.test(parameterOf(redirect, 'used') ?? '')
          ? undefined
          : 'redirect: used is no number',
        /^(true|false)$/.test(parameterOf(redirect, 'vault') ?? '')
          ? undefined
          : 'redirect: vault is neither true nor false',
      )
    },
  ],
  [
    'SHM-013',
    'A move opens no session.',
    'oauth.md 5.10',
    'Whoever lets data go does not log in.',
    'Set no session cookie.',
    (e) =>
      allOf(
        expectNoSession(e.of('shm.move.right')),
        expectStatus(e.of('shm.move.no.session'), 200),
      ),
  ],
  [
    'SHM-014',
    'The code of a move is good once, and for exports and imports alone.',
    'seed, GET /auth/authorize/move; oauth.md 5.10',
    'It is no consent to anything else.',
    'Issue it for io.svc.exports.requests and io.svc.imports.',
    (e) =>
      allOf(
        expectStatus(e.of('shm.move.token'), 200),
        () => {
          const scope = String(jsonOf(e.of('shm.move.token'))['scope'] ?? '').split(' ')
          const others = scope.filter((one) => !/\.(exports\.requests|imports)(:|$)/.test(one))
          return others.length === 0
            ? undefined
            : `scope holds ${others.join(' ')}, not exports and imports alone`
        },
        () => expectMember(e.of('shm.move.token'), 'access_token'),
        () => expectError(e.of('shm.move.again'), [400], 'invalid_grant'),
      ),
  ],
])

export const SHM_CHECKS: readonly Check[] = [...SHARING, ...MOVE]

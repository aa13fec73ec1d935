import type { Check } from '../../model/check.ts'
import {
  allOf,
  expectHeader,
  expectPage,
  expectRefused,
  expectStatus,
  locationOf,
  parameterOf,
} from '../../model/expect.ts'
import { checksWith } from '../shaped.ts'
import { asked, CHECKS, expectAppError, sentTo } from './answers.ts'

export const CON_CARE: readonly Check[] = checksWith({ ...CHECKS, basis: 'product' }, [
  [
    'CON-012',
    'A look ahead begins nothing: HEAD is refused with 405.',
    'connectors.md 4',
    'Scanners of links would use states up.',
    'Answer 405 with Allow.',
    (e) =>
      allOf(
        expectStatus(e.of('con.start.head'), 405),
        expectHeader(e.of('con.start.head'), 'allow', /GET/),
      ),
  ],
  [
    'CON-013',
    'The code is exchanged with PKCE.',
    'connectors.md 5.2; RFC 9700 2.1.1',
    'A code that is stolen would be enough.',
    'Send code_challenge, and code_verifier with the code.',
    (e) => {
      const exchange = asked(e, 'authorization_code')
      if (exchange === undefined) return 'the provider was not asked'
      const location = locationOf(e.of('con.start'))
      return allOf(
        parameterOf(location, 'code_challenge_method') === 'S256'
          ? undefined
          : 'con.start: code_challenge_method is not S256',
        parameterOf(location, 'code_challenge') === undefined
          ? 'con.start: code_challenge is missing'
          : undefined,
        sentTo(e, exchange.label).has('code_verifier')
          ? undefined
          : `${exchange.label}: code_verifier is missing`,
      )
    },
  ],
  [
    'CON-014',
    'The answer counts in the browser alone that began.',
    'connectors.md 4.4',
    'A victim could be sent to finish what an attacker began.',
    'Bind the state to a cookie.',
    (e) => expectStatus(e.of('con.browser'), 400),
  ],
  [
    'CON-015',
    'An answer of another issuer is refused.',
    'RFC 9207 2.4 MUST; connectors.md 5.3',
    'A code of one provider would go to another.',
    'Compare iss with the issuer of the type.',
    (e) => expectAppError(e.of('con.issuer'), 'issuer_mismatch'),
  ],
  [
    'CON-016',
    'A code that the provider refuses leads to the app with an error.',
    'connectors.md 4.6',
    'The app has to say so.',
    'Answer error=token_exchange_failed.',
    (e) => expectAppError(e.of('con.refused'), 'token_exchange_failed'),
  ],
  [
    'CON-017',
    'A token in the address is never taken.',
    'connectors.md 4.2',
    'Anybody could plant a token.',
    'Refuse answers without a code.',
    (e) => allOf(expectPage(e.of('con.token'), 400), () => expectRefused(e.of('con.token'))),
  ],
  [
    'CON-018',
    'An account is deleted by 204, once, and taken back at the provider.',
    'connectors.md 4.9; RFC 7009 2.1',
    'The owner wants the connection gone.',
    'Revoke the token, and delete the account.',
    (e) =>
      allOf(
        expectStatus(e.of('con.delete.scope'), 403),
        expectStatus(e.of('con.delete'), 204),
        expectStatus(e.of('con.delete.again'), 404),
        () => (sentTo(e, 'con.provider.revoke').has('token') ? undefined : 'no token was revoked'),
      ),
  ],
  [
    'CON-019',
    'Addresses with codes are not kept: no-store and no-referrer.',
    'connectors.md 4',
    'The next page would learn of them.',
    'Set both headers on every answer.',
    (e) =>
      allOf(
        ...['con.start', 'con.back', 'con.state.wrong'].flatMap((label) => [
          expectHeader(e.of(label), 'cache-control', /no-store/),
          expectHeader(e.of(label), 'referrer-policy', /^no-referrer$/),
        ]),
      ),
  ],
  [
    'CON-020',
    'A state that was refused for its issuer makes no account.',
    'connectors.md 4.2',
    'The refusal would be for show.',
    'Write the account after every check.',
    (e) =>
      allOf(expectAppError(e.of('con.issuer'), 'issuer_mismatch'), () =>
        e
          .all('con.provider.token')
          .some(({ request }) => new URLSearchParams(request.body ?? '').get('code') === 'code')
          ? 'con.provider.token: a code of a refused answer was exchanged; error or account'
          : undefined,
      ),
  ],
])

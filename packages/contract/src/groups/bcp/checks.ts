import type { Check } from '../../model/check.ts'
import {
  allOf,
  expectError,
  expectHeader,
  expectNoHeader,
  expectRefused,
  header,
  jsonOf,
  locationOf,
  parameterOf,
  show,
} from '../../model/expect.ts'

/** Rules of RFC 9700. */
export const BCP_CHECKS: readonly Check[] = [
  {
    id: 'BCP-001',
    title: 'A client can tell which server answered.',
    level: 'should',
    basis: 'rfc',
    rules: ['RFC 9700 4.4.2 SHOULD', 'RFC 9207 2'],
    why: 'A server that is not honest could have the code of another sent to itself.',
    remedy: 'Send iss with every answer of the authorization endpoint.',
    judge: (e) => {
      e.use('bcp.mine.page')
      const iss = parameterOf(e.note('bcp.location'), 'iss')
      const issuer = jsonOf(e.of('met.document'))['issuer']
      return iss !== undefined && iss === issuer ? undefined : `iss is ${show(iss)}`
    },
  },
  {
    id: 'BCP-002',
    title: 'A code that was injected into another flow is worth nothing.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 9700 4.5.3', 'RFC 7636 4.6 MUST'],
    why: 'A thief would log in as the owner in their own browser.',
    remedy: 'Tie the code to the challenge of its request.',
    judge: (e) => expectError(e.of('bcp.inject'), [400], 'invalid_grant'),
  },
  {
    id: 'BCP-003',
    title: 'A code that was stolen is worth nothing to another client.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 9700 4.5', 'RFC 6749 10.5 MUST'],
    why: 'Any registered client could otherwise use it.',
    remedy: 'Tie the code to its client.',
    judge: (e) => expectError(e.of('bcp.foreign'), [400], 'invalid_grant'),
  },
  {
    id: 'BCP-004',
    title: 'The server is no open redirector, whether the request is good or not.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 9700 4.11.2 MUST NOT'],
    why: 'Its good name would carry links to bad pages.',
    remedy: 'Redirect to registered URIs alone.',
    judge: (e) =>
      allOf(
        expectRefused(e.of('bcp.redirector')),
        expectNoHeader(e.of('bcp.redirector'), 'location'),
        expectRefused(e.of('bcp.redirector.error')),
        expectNoHeader(e.of('bcp.redirector.error'), 'location'),
      ),
  },
  {
    id: 'BCP-005',
    title: 'No redirect carries a posted passphrase along.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 9700 4.12 MUST NOT'],
    why: '307 and 308 repeat the body at the next address.',
    remedy: 'Redirect by 302 or 303.',
    judge: (e) => {
      e.use('bcp.mine.page')
      const found = e
        .everything()
        .find(
          ({ request, answer }) => request.method === 'POST' && [307, 308].includes(answer.status),
        )
      return found === undefined
        ? undefined
        : `${found.label} is redirected by ${found.answer.status}`
    },
  },
  {
    id: 'BCP-006',
    title: 'A challenge that was taken out on the way is noticed.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 9700 4.8.2 MUST'],
    why: 'PKCE would protect nobody.',
    remedy: 'Refuse a verifier for a code without a challenge, or the form without it.',
    needs: ['pages'],
    judge: (e) =>
      e.has('bcp.stripped.exchange')
        ? expectError(e.of('bcp.stripped.exchange'), [400], 'invalid_grant')
        : expectRefused(e.of('bcp.stripped')),
  },
  {
    id: 'BCP-007',
    title: 'No address carries a token.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 9700 4.3.2', 'RFC 6750 5.3'],
    why: 'Addresses end up in histories and logs.',
    remedy: 'Hand tokens out by the token endpoint alone.',
    judge: (e) => {
      e.use('bcp.mine.submit')
      const found = e
        .everything()
        .find((one) => /[?&#](access|refresh|id)_token=/.test(header(one, 'location') ?? ''))
      return found === undefined ? undefined : `${found.label} leads to an address with a token`
    },
  },
  {
    id: 'BCP-008',
    title: 'The page that asks the owner tells nobody its address.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 9700 4.2.4'],
    why: 'It holds the state.',
    remedy: 'Send Referrer-Policy: same-origin or no-referrer.',
    needs: ['pages'],
    judge: (e) => expectHeader(e.of('bcp.page'), 'referrer-policy', /^(same-origin|no-referrer)$/),
  },
  {
    id: 'BCP-009',
    title: 'The page that asks the owner is not shown in a frame.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 9700 4.16 MUST', 'RFC 6749 10.13'],
    why: 'The owner would allow without seeing it.',
    remedy: "Send frame-ancestors 'none'.",
    needs: ['pages'],
    judge: (e) =>
      expectHeader(e.of('bcp.page'), 'content-security-policy', /frame-ancestors 'none'/),
  },
  {
    id: 'BCP-010',
    title: 'The code goes to nobody but the client.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 9700 4.2.4', 'RFC 6749 10.5'],
    why: 'What the redirect page loads would learn it.',
    remedy: 'Answer the form by a redirect without a page that loads anything.',
    judge: (e) => {
      e.use('bcp.mine.submit')
      const shown = e
        .everything()
        .find(
          (one) =>
            parameterOf(locationOf(one), 'code') !== undefined &&
            /<(img|script|link)\b/i.test(one.answer.body),
        )
      return shown === undefined ? undefined : `${shown.label} loads something beside the code`
    },
  },
]

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
  show,
} from '../../model/expect.ts'
import {
  expectField,
  expectLeads,
  expectNoField,
  expectNoSession,
  expectSession,
} from '../login-answers.ts'
import { checksWith, type Shaped } from '../shaped.ts'

const NAMES = ['integrity', 'safetynet', 'appattest'] as const

const ATTESTATION: readonly Check[] = checksWith(
  { needs: ['certification', 'management'], basis: 'seed' },
  [
    [
      'CRT-001',
      'A client gets a nonce with its registration token, by 201.',
      'seed, POST /auth/clients/:client-id/challenge; oauth.md 4.1',
      'Its platform attests it.',
      'Answer 201 with nonce.',
      (e) =>
        allOf(
          expectStatus(e.of('crt.challenge.integrity'), 201),
          expectMember(e.of('crt.challenge.integrity'), 'nonce'),
        ),
    ],
    [
      'CRT-002',
      'A nonce is not given without the registration token.',
      'seed, POST /auth/clients/:client-id/challenge',
      'It is for the client alone.',
      'Answer 401.',
      (e) =>
        allOf(expectError(e.of('crt.challenge.anonymous'), [401]), () =>
          expectNoMember(e.of('crt.challenge.anonymous'), 'nonce'),
        ),
    ],
    [
      'CRT-003',
      'Each nonce is another, has letters and digits alone, and survives base64.',
      'oauth.md 4.1',
      'A platform echoes it through base64.',
      'Use a multiple of four of letters and digits.',
      (e) => {
        const names = NAMES.map((name) => String(jsonOf(e.of(`crt.challenge.${name}`))['nonce']))
        if (new Set(names).size !== names.length) return 'two nonces are the same'
        for (const name of names) {
          const facts = e.facts(name)
          if (facts === undefined) return `nonce is ${show(name)}`
          if (facts.length < 20 || facts.length % 4 !== 0 || !facts.isPlain) {
            return `nonce has ${facts.length} characters, not a multiple of four of letters and digits`
          }
        }
        return undefined
      },
    ],
    ...(
      [
        ['CRT-004', 'integrity', 'Play Integrity'],
        ['CRT-005', 'safetynet', 'SafetyNet'],
        ['CRT-006', 'appattest', 'App Attest'],
      ] as const
    ).map(
      ([id, name, platform]): Shaped => [
        id,
        `An attestation that ${platform} did not make is refused with 400 and a reason.`,
        'seed, POST /auth/clients/:client-id/attestation; oauth.md 4.2',
        'Anybody could be certified.',
        'Verify signature, chain, nonce and app.',
        (e) => expectError(e.of(`crt.attest.${name}`), [400]),
      ],
    ),
    [
      'CRT-007',
      'A nonce is good for one try, and one that was made up for none.',
      'oauth.md 4.2',
      'An attestation could be repeated.',
      'Take the nonce before anything is looked at.',
      (e) =>
        allOf(
          expectError(e.of('crt.attest.again'), [400], 'invalid challenge'),
          expectError(e.of('crt.attest.made-up'), [400], 'invalid challenge'),
        ),
    ],
    [
      'CRT-008',
      'An unknown platform is refused with 400, an unknown client with 404.',
      'seed, POST /auth/clients/:client-id/attestation; oauth.md 4.2',
      'Nothing can be verified.',
      'Answer 400 and 404.',
      (e) =>
        allOf(
          expectError(e.of('crt.attest.platform'), [400], 'invalid platform'),
          expectError(e.of('crt.attest.nobody'), [404]),
        ),
    ],
    [
      'CRT-009',
      'A client whose attestations were refused is not certified.',
      'oauth.md 4.2',
      'It would get everything.',
      'Leave the client as it was.',
      (e) => {
        const record = e.of('crt.attest.record')
        return allOf(
          expectStatus(record, 200, 201),
          expectNoTrue(jsonOf(record), 'flagship'),
          expectNoTrue(jsonOf(record), 'certified_from_store'),
        )
      },
    ],
  ],
)

const OWNER: readonly Check[] = checksWith(
  { needs: ['pages', 'apps', 'certification', 'fresh', 'mailbox'], basis: 'seed' },
  [
    [
      'CRT-010',
      'Everything is asked for with PKCE alone.',
      'oauth.md 5.5',
      'A code for everything is worth stealing.',
      'Answer a page with 400 without code_challenge.',
      (e) =>
        allOf(expectPage(e.of('crt.no.pkce'), 400), expectNoField(e.of('crt.no.pkce'), 'token')),
    ],
    [
      'CRT-011',
      'A client that is not certified gets a page that asks for a code, and no consent.',
      'seed, GET /auth/authorize; oauth.md 5.5',
      'A stranger could ask for everything.',
      'Mail a code, and show its form.',
      (e) =>
        allOf(
          expectPage(e.of('crt.page'), 200),
          expectField(e.of('crt.page'), 'code'),
          expectField(e.of('crt.page'), 'token'),
          expectNoField(e.of('crt.page'), 'scope'),
          expectMember(e.of('crt.mail'), 'text'),
        ),
    ],
    [
      'CRT-012',
      'A stranger sees the login, and no code is mailed for them.',
      'oauth.md 5.5',
      'Anybody could have mails sent.',
      'Redirect to the login first.',
      (e) =>
        allOf(
          expectStatus(e.of('crt.stranger'), 302),
          expectLeads(
            e.of('crt.stranger'),
            e.of('crt.stranger').request.url.replace(/\/auth\/.*$/, '/auth/login'),
          ),
        ),
    ],
    [
      'CRT-013',
      'A wrong code, a wrong token and the pair of another client are refused with 401.',
      'seed, POST /auth/clients/:client-id/flagship; oauth.md 4.6',
      'The owner has to mean this client.',
      'Compare the pair with that of the client.',
      (e) =>
        allOf(
          expectError(e.of('crt.code.wrong'), [401]),
          expectError(e.of('crt.code.token'), [401]),
          expectError(e.of('crt.code.other'), [401]),
          expectError(e.of('crt.code.nobody'), [404]),
        ),
    ],
    [
      'CRT-014',
      'The right code certifies the client, by 204, once.',
      'seed, POST /auth/clients/:client-id/flagship; oauth.md 4.6',
      'The owner has said so.',
      'Answer 204, and forget the pair.',
      (e) =>
        allOf(
          expectStatus(e.of('crt.code.right'), 204),
          expectRefused(e.of('crt.code.again')),
          expectStatus(e.of('crt.record'), 200, 201),
        ),
    ],
    [
      'CRT-015',
      'A certified client gets a token for everything once the owner has allowed it.',
      'seed, scopes; oauth.md 5.5',
      'It is the app of the owner.',
      'Issue the scope *.',
      (e) =>
        allOf(expectStatus(e.of('crt.token'), 200), () =>
          expectMember(e.of('crt.token'), 'scope', '*'),
        ),
    ],
    [
      'CRT-016',
      'With this token it opens sessions, by 201 and a code.',
      'seed, POST /auth/session_code; login.md 5.4',
      'It shows the owner pages of other apps.',
      'Answer 201 with session_code.',
      (e) =>
        allOf(
          expectStatus(e.of('crt.session_code'), 201),
          expectMember(e.of('crt.session_code'), 'session_code'),
          expectNoSession(e.of('crt.session_code')),
        ),
    ],
    [
      'CRT-017',
      'A certified client that logs in directly gets tokens for everything.',
      'seed, POST /auth/login/flagship; oauth.md 7.3',
      'It needs no browser.',
      'Answer 200 with the tokens.',
      (e) =>
        allOf(
          expectStatus(e.of('crt.direct'), 200),
          expectMember(e.of('crt.direct'), 'access_token'),
          expectMember(e.of('crt.direct'), 'scope', '*'),
          expectNoSession(e.of('crt.direct')),
        ),
    ],
    [
      'CRT-018',
      'Any other client that logs in directly gets a session code by 202, and no token.',
      'seed, POST /auth/login/flagship; login.md 5.1',
      'It would get everything by a passphrase.',
      'Answer 202 with session_code alone.',
      (e) =>
        allOf(
          expectStatus(e.of('crt.login'), 202),
          expectMember(e.of('crt.login'), 'session_code'),
          expectNoMember(e.of('crt.login'), 'access_token'),
          expectNoSession(e.of('crt.login')),
        ),
    ],
    [
      'CRT-019',
      'This session code opens a session in a browser, once.',
      'seed, session_code; login.md 9.1',
      'The app goes on in a browser with it.',
      'Use the code up with the session.',
      (e) =>
        allOf(expectSession(e.of('crt.login.use')), expectNoSession(e.of('crt.login.use.again'))),
    ],
    [
      'CRT-020',
      'A direct login with a wrong passphrase is refused with 401, with a wrong client with 400.',
      'seed, POST /auth/login/flagship; login.md 5.1',
      'Deployed apps tell one from the other by it.',
      'Answer 401 and 400.',
      (e) =>
        allOf(
          expectError(e.of('crt.login.wrong'), [401]),
          expectNoMember(e.of('crt.login.wrong'), 'two_factor_token'),
          expectError(e.of('crt.login.secret'), [400]),
          expectError(e.of('crt.login.missing'), [400]),
        ),
    ],
  ],
)

export const CRT_CHECKS: readonly Check[] = [...ATTESTATION, ...OWNER]

function expectNoTrue(record: Readonly<Record<string, unknown>>, name: string): string | undefined {
  return record[name] === undefined || record[name] === false
    ? undefined
    : `${name} is ${show(record[name])}`
}

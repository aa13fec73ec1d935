import type { Check, Finding } from '../../model/check.ts'
import {
  allOf,
  expectHeader,
  expectStatus,
  jsonOf,
  locationOf,
  parameterOf,
} from '../../model/expect.ts'
import { checksWith } from '../shaped.ts'
import { asked, CHECKS, expectAppError } from './answers.ts'

export const CON_FLOW: readonly Check[] = checksWith({ ...CHECKS, basis: 'seed' }, [
  [
    'CON-001',
    'An account is connected by the owner who is logged in alone.',
    'seed, GET /accounts/:type/start; connectors.md 4.1',
    'A stranger could begin it.',
    'Answer 403.',
    (e) => expectStatus(e.of('con.start.stranger'), 403),
  ],
  [
    'CON-002',
    'An account type that is not there is answered by 404.',
    'connectors.md 4.1',
    'There is nowhere to go.',
    'Answer 404.',
    (e) => expectStatus(e.of('con.start.unknown'), 404),
  ],
  [
    'CON-003',
    'The owner is sent to the provider with response_type, client_id, redirect_uri and state.',
    'seed, GET /accounts/:type/start; RFC 6749 4.1.1 MUST',
    'The provider asks for the owner by them.',
    'Redirect to the authorization endpoint of the type.',
    (e) => {
      const start = e.of('con.start')
      const location = locationOf(start)
      const has = (name: string): Finding =>
        parameterOf(location, name) === undefined ? `con.start: ${name} is missing` : undefined
      return allOf(
        expectStatus(start, 302, 303),
        parameterOf(location, 'response_type') === 'code'
          ? undefined
          : 'con.start: response_type is not code',
        has('client_id'),
        has('redirect_uri'),
        has('state'),
      )
    },
  ],
  [
    'CON-004',
    'The state is one of the server, and another each time.',
    'RFC 6749 10.12 MUST; connectors.md 4.3',
    'A state of the app could be guessed or used twice.',
    'Make a random one, and keep that of the app.',
    (e) => {
      const [one, other] = ['con.start', 'con.denied.start'].map((label) =>
        parameterOf(locationOf(e.of(label)), 'state'),
      )
      if (one === undefined || other === undefined) return 'con.start: state is missing'
      if (one === other) return 'con.start: the state is the same twice'
      const facts = e.facts(one)
      return facts !== undefined && facts.length >= 22
        ? undefined
        : 'con.start: the state is too short, or that of the app'
    },
  ],
  [
    'CON-005',
    'An answer with a wrong state, or with none, is refused with 400.',
    'seed, GET /accounts/:type/redirect; connectors.md 4.2',
    "Somebody else's account could be planted.",
    'Look the state up, and refuse what is unknown.',
    (e) =>
      allOf(expectStatus(e.of('con.state.wrong'), 400), expectStatus(e.of('con.state.none'), 400)),
  ],
  [
    'CON-006',
    'A state works once.',
    'connectors.md 4.2',
    'An answer could be repeated.',
    'Take it out of the store when it is looked up.',
    (e) =>
      allOf(expectStatus(e.of('con.back'), 302, 303), expectStatus(e.of('con.back.again'), 400)),
  ],
  [
    'CON-007',
    'A good answer leads to the app with the account and the state of the app.',
    'seed, GET /accounts/:type/redirect; connectors.md 4.5',
    'The app goes on with them.',
    'Redirect to the app with account and state.',
    (e) => {
      const back = e.of('con.back')
      const location = locationOf(back)
      return allOf(
        expectStatus(back, 302, 303),
        expectHeader(back, 'location', /^https?:/),
        parameterOf(location, 'account') === undefined ? 'con.back: account is missing' : undefined,
        parameterOf(location, 'state') === 'state of the app'
          ? undefined
          : 'con.back: the state is another',
        parameterOf(location, 'error') === undefined ? undefined : 'con.back: there is an error',
      )
    },
  ],
  [
    'CON-008',
    'A refusal of the owner leads to the app, and says nothing of the provider.',
    'seed, GET /accounts/:type/redirect; connectors.md 4.6',
    'Texts of others would stand in addresses of apps.',
    'Answer error=access_denied alone.',
    (e) =>
      allOf(expectAppError(e.of('con.denied'), 'access_denied'), () =>
        locationOf(e.of('con.denied')).includes('text')
          ? 'con.denied: it leads on with a text'
          : undefined,
      ),
  ],
  [
    'CON-009',
    'A refresh asks the provider, and answers the account.',
    'seed, POST /accounts/:type/:id/refresh; connectors.md 4.8',
    'Connectors would fail when a token ends.',
    'Answer the account as a resource with type and id.',
    (e) => {
      const refresh = e.of('con.refresh')
      const data = jsonOf(refresh)['data'] as { id?: unknown; type?: unknown } | undefined // as the answer has it
      return allOf(
        expectStatus(refresh, 200),
        data?.id === e.note('con.account') ? undefined : 'con.refresh: data has another id',
        typeof data?.type === 'string' ? undefined : 'con.refresh: data has no type',
        asked(e, 'refresh_token') === undefined ? 'the provider was not asked' : undefined,
      )
    },
  ],
  [
    'CON-010',
    'No answer holds the refresh token or the secret of the provider.',
    'connectors.md 7.4, 3.3',
    'A client would hold the keys of another service.',
    'Keep them at the server; a refresh answers the access token at most.',
    (e) => {
      const secrets = e
        .all('con.provider.token')
        .flatMap((one) => [
          jsonOf(one)['refresh_token'],
          new URLSearchParams(one.request.body ?? '').get('client_secret'),
        ])
        .filter((value) => typeof value === 'string')
      const labels = ['con.start', 'con.back', 'con.refused', 'con.refresh', 'con.delete']
      const shown = labels
        .map((label) => e.of(label))
        .find(({ answer }) => secrets.some((secret) => JSON.stringify(answer).includes(secret)))
      return shown === undefined
        ? undefined
        : `${shown.label}: there is a credential of the provider`
    },
  ],
  [
    'CON-011',
    'A refresh needs a token with the right to read accounts.',
    'seed, POST /accounts/:type/:id/refresh; RFC 6750 3.1 MUST',
    'Anybody could use connections up.',
    'Answer 401 without a token, 403 without the scope.',
    (e) =>
      allOf(
        expectStatus(e.of('con.refresh.anonymous'), 401),
        expectStatus(e.of('con.refresh.scope'), 403),
        expectStatus(e.of('con.refresh.unknown'), 404, 403),
      ),
  ],
])

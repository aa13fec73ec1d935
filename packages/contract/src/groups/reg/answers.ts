import * as oauth from 'oauth4webapi'
import type { Check } from '../../model/check.ts'
import {
  allOf,
  expectHeader,
  expectJson,
  expectMember,
  expectNoHeader,
  expectNoMember,
  expectStatus,
  jsonOf,
  show,
} from '../../model/expect.ts'
import { stockAccepts } from '../stock.ts'

const ECHOED = [
  'redirect_uris',
  'client_name',
  'client_kind',
  'client_uri',
  'logo_uri',
  'policy_uri',
  'software_id',
  'software_version',
] as const
/** Enough that nobody guesses it. */
const LEAST_SECRET = 22

/** Rules of the answers to a registration (RFC 7591). */
export const REG_ANSWERS: readonly Check[] = [
  {
    id: 'REG-001',
    title: 'A registration is answered by exactly 201 with JSON.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7591 3.2.1 MUST', 'clients 37'],
    why: 'Client libraries refuse any other status.',
    remedy: 'Answer 201 Created with application/json.',
    judge: (e) => allOf(expectStatus(e.of('reg.full'), 201), expectJson(e.of('reg.full'))),
  },
  {
    id: 'REG-002',
    title: 'Every member that was registered is in the answer as it was sent.',
    level: 'must',
    basis: 'seed',
    rules: ['RFC 7591 3.2.1 MUST', 'seed, POST /auth/register'],
    why: 'The client learns from the answer what was registered for it.',
    remedy: 'Answer all registered metadata.',
    judge: (e) => {
      const sent = JSON.parse(e.note('reg.full')) as Record<string, unknown> // noted by the scenario
      return allOf(...ECHOED.map((name) => () => expectMember(e.of('reg.full'), name, sent[name])))
    },
  },
  {
    id: 'REG-003',
    title: 'The answer has a client id and a client secret.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, POST /auth/register', 'RFC 7591 3.2.1'],
    why: 'Both are what the client authenticates with.',
    remedy: 'Issue client_id and client_secret.',
    judge: (e) =>
      allOf(
        expectMember(e.of('reg.full'), 'client_id'),
        expectMember(e.of('reg.full'), 'client_secret'),
      ),
  },
  {
    id: 'REG-004',
    title: 'client_secret_expires_at is 0.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, OAuth client record', 'RFC 7591 3.2.1 REQUIRED'],
    why: 'Secrets do not expire, and libraries demand the member.',
    remedy: 'Answer client_secret_expires_at 0.',
    judge: (e) => expectMember(e.of('reg.full'), 'client_secret_expires_at', 0),
  },
  {
    id: 'REG-005',
    title: 'The answer has a registration access token.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7592 3 REQUIRED', 'seed, POST /auth/register'],
    why: 'Without it the client cannot manage or remove itself.',
    remedy: 'Issue registration_access_token with the registration.',
    needs: ['management'],
    judge: (e) => expectMember(e.of('reg.full'), 'registration_access_token'),
  },
  {
    id: 'REG-006',
    title: 'The grant types are authorization code and refresh token.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, OAuth client record', 'clients 9'],
    why: 'Clients rely on refreshing without asking for it.',
    remedy: 'Answer grant_types ["authorization_code", "refresh_token"] whatever was sent.',
    judge: (e) =>
      expectMember(e.of('reg.full'), 'grant_types', ['authorization_code', 'refresh_token']),
  },
  {
    id: 'REG-007',
    title: 'The response type is code.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, OAuth client record'],
    why: 'There is no implicit grant.',
    remedy: 'Answer response_types ["code"].',
    judge: (e) => expectMember(e.of('reg.full'), 'response_types', ['code']),
  },
  {
    id: 'REG-008',
    title: 'No cache keeps the answer.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7591 3.2.1 MUST'],
    why: 'It holds credentials.',
    remedy: 'Answer Cache-Control: no-store.',
    judge: (e) => expectHeader(e.of('reg.full'), 'cache-control', /\bno-store\b/),
  },
  {
    id: 'REG-009',
    title: 'No other origin may read the answer.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, What the service does 9'],
    why: 'CORS is disabled for /auth.',
    remedy: 'Send no Access-Control-Allow-Origin.',
    judge: (e) => expectNoHeader(e.of('reg.full'), 'access-control-allow-origin'),
  },
  {
    id: 'REG-010',
    title: 'Client id and secret are made of letters, digits, - and _.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 34'],
    why: 'Libraries encode other characters in three different ways for Basic.',
    remedy: 'Use base64url or hexadecimal digits.',
    judge: (e) => {
      const { client_id: id, client_secret: secret } = jsonOf(e.of('reg.full'))
      if (!/^[A-Za-z0-9_-]+$/.test(String(id))) return `client_id is ${show(id)}`
      return e.facts(String(secret))?.isPlain === true
        ? undefined
        : 'client_secret has other characters'
    },
  },
  {
    id: 'REG-011',
    title: 'The client secret is too long to be guessed.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 10.10 MUST'],
    why: 'It must have at least 128 random bits.',
    remedy: 'Make it of 16 random bytes or more.',
    judge: (e) => {
      const length = e.facts(String(jsonOf(e.of('reg.full'))['client_secret']))?.length ?? 0
      return length >= LEAST_SECRET ? undefined : `client_secret has ${length} characters`
    },
  },
  {
    id: 'REG-012',
    title: 'Two registrations get two client ids and two secrets.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7591 3.2.1'],
    why: 'Clients that share a secret are one client.',
    remedy: 'Draw both at random for each registration.',
    judge: (e) => {
      const one = jsonOf(e.of('reg.full'))
      const other = jsonOf(e.of('reg.unknown'))
      if (other['client_id'] === undefined) return 'the second registration was refused'
      const same = ['client_id', 'client_secret'].filter((name) => one[name] === other[name])
      return same.length === 0 ? undefined : `${same.join(' and ')} is the same`
    },
  },
  {
    id: 'REG-013',
    title: 'Empty texts count as absent.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 2'],
    why: 'Published clients send "" for each option that is not set.',
    remedy: 'Drop members that are "" before they are checked.',
    judge: (e) =>
      allOf(
        expectStatus(e.of('reg.empty'), 201),
        ...['client_uri', 'logo_uri', 'policy_uri'].map(
          (name) => () => expectNoMember(e.of('reg.empty'), name),
        ),
      ),
  },
  {
    id: 'REG-014',
    title: 'Members that nobody knows are ignored.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7591 2 MUST'],
    why: 'Clients send more than any one server knows.',
    remedy: 'Drop unknown members; do not refuse, do not keep them.',
    judge: (e) =>
      allOf(
        expectStatus(e.of('reg.unknown'), 201),
        expectNoMember(e.of('reg.unknown'), 'contract_unknown_member'),
      ),
  },
  {
    id: 'REG-015',
    title: 'A client cannot give itself privileges.',
    level: 'must',
    basis: 'product',
    rules: ['oauth.md 1.1'],
    why: 'Whoever registers could otherwise ask for everything.',
    remedy: 'Take only the members of the registration from the body.',
    judge: (e) =>
      allOf(
        expectNoMember(e.of('reg.unknown'), 'flagship'),
        expectNoMember(e.of('reg.unknown'), 'certified_from_store'),
        expectNoMember(e.of('reg.unknown'), 'pending'),
      ),
  },
  {
    id: 'REG-016',
    title: 'A client cannot choose its own id or secret.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7591 3.2.1'],
    why: 'Both are issued by the server.',
    remedy: 'Ignore client_id and client_secret of the body.',
    judge: (e) => {
      const answer = jsonOf(e.of('reg.unknown'))
      const facts = e.facts(String(answer['client_secret']))
      if (answer['client_id'] === 'chosen-by-the-client') return 'client_id is the chosen one'
      return facts?.length === 'chosen-by-the-client-too'.length
        ? 'client_secret is the chosen one'
        : undefined
    },
  },
  {
    id: 'REG-017',
    title: 'An Authorization header of no use is ignored.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 1'],
    why: 'Published clients send "Bearer null" before they have a token.',
    remedy: 'Do not read Authorization at this endpoint.',
    judge: (e) => expectStatus(e.of('reg.bearer'), 201),
  },
  {
    id: 'REG-018',
    title: 'A stock client library accepts the answer.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7591 3.2.1'],
    why: 'oauth4webapi follows the RFC where a check of ours might err.',
    remedy: 'Read what the library says.',
    judge: (e) =>
      stockAccepts(e.of('reg.full'), (answer) =>
        oauth.processDynamicClientRegistrationResponse(answer),
      ),
  },
  {
    id: 'REG-037',
    title: 'http is taken on the own machine, with any port.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Authentication 4', 'clients 8', 'RFC 8252 7.3'],
    why: 'Programs of a desktop listen there.',
    remedy: 'Take http for localhost, 127.0.0.1 and [::1].',
    judge: (e) => expectStatus(e.of('reg.loopback'), 201),
  },
  {
    id: 'REG-038',
    title: 'Schemes of apps are taken, with a dot and without.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 8', 'seed, Authentication 4'],
    why: 'Published apps have schemes without a dot.',
    remedy: 'Take any scheme that no browser runs or mails.',
    judge: (e) => expectStatus(e.of('reg.scheme'), 201),
  },
]

import type { Check } from '../../model/check.ts'
import {
  allOf,
  expectHeader,
  expectMember,
  expectNoHeader,
  expectNoMember,
  expectRefused,
  expectStatus,
  jsonOf,
  locationOf,
} from '../../model/expect.ts'

/** Rules of reading and changing a client (RFC 7592). */
export const MGT_CHECKS: readonly Check[] = [
  {
    id: 'MGT-001',
    title: 'A client reads its own record.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7592 2.1'],
    why: 'Clients look up what is registered for them.',
    remedy: 'Answer the record to the registration access token.',
    needs: ['management'],
    judge: (e) =>
      allOf(expectStatus(e.of('mgt.get'), 200, 201), () =>
        expectMember(e.of('mgt.get'), 'client_id', jsonOf(e.of('mgt.client'))['client_id']),
      ),
  },
  {
    id: 'MGT-002',
    title: 'The status of that answer is 201.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, GET /auth/register/:client-id'],
    why: 'The seed shows this status.',
    remedy: 'Answer 201.',
    needs: ['management'],
    judge: (e) => expectStatus(e.of('mgt.get'), 201),
  },
  {
    id: 'MGT-003',
    title: 'The record shows the client secret and that it does not expire.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 12', 'RFC 7592 3'],
    why: 'Published clients replace what they hold by this answer.',
    remedy: 'Answer client_secret and client_secret_expires_at 0.',
    needs: ['management'],
    judge: (e) =>
      allOf(
        expectMember(e.of('mgt.get'), 'client_secret', jsonOf(e.of('mgt.client'))['client_secret']),
        expectMember(e.of('mgt.get'), 'client_secret_expires_at', 0),
      ),
  },
  {
    id: 'MGT-004',
    title: 'The record does not show the registration access token.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, OAuth client record', 'clients 13'],
    why: 'It is returned at registration only.',
    remedy: 'Leave registration_access_token out of answers to GET and PUT.',
    needs: ['management'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('mgt.get'), 200, 201),
        expectNoMember(e.of('mgt.get'), 'registration_access_token'),
        expectNoMember(e.of('mgt.put'), 'registration_access_token'),
      ),
  },
  {
    id: 'MGT-005',
    title: 'Without a token nobody reads a record.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7592 2.1 MUST'],
    why: 'It holds the client secret.',
    remedy: 'Answer 401.',
    needs: ['management'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('mgt.get.nothing'), 400, 401),
        expectNoMember(e.of('mgt.get.nothing'), 'client_secret'),
      ),
  },
  {
    id: 'MGT-006',
    title: 'A wrong token is refused with a challenge.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7592 2.1', 'RFC 6750 3 MUST'],
    why: 'Clients tell by the challenge that the token is the fault.',
    remedy: 'Answer 401 with WWW-Authenticate: Bearer error="invalid_token".',
    needs: ['management'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('mgt.get.broken'), 401),
        expectHeader(
          e.of('mgt.get.broken'),
          'www-authenticate',
          /^Bearer\b.*error="invalid_token"/i,
        ),
      ),
  },
  {
    id: 'MGT-007',
    title: 'A registration access token in the query is not taken.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Authentication 1'],
    why: 'Addresses end up in logs.',
    remedy: 'Read the Authorization header alone.',
    needs: ['management'],
    judge: (e) => expectStatus(e.of('mgt.get.query'), 400, 401),
  },
  {
    id: 'MGT-008',
    title: 'The token of one client does not open the record of another.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7592 2.1 MUST'],
    why: 'Any client could otherwise read the secrets of all.',
    remedy: 'Compare the client of the token with the one in the path.',
    needs: ['management', 'pages'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('mgt.get.foreign'), 401, 403),
        expectNoMember(e.of('mgt.get.foreign'), 'client_secret'),
      ),
  },
  {
    id: 'MGT-009',
    title: 'An unknown client is answered by 404, not by a challenge.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 18'],
    why: 'A challenge makes published clients refresh for ever.',
    remedy: 'Answer 404 with "Client not found" and no WWW-Authenticate.',
    needs: ['management'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('mgt.get.unknown'), 404),
        expectNoHeader(e.of('mgt.get.unknown'), 'www-authenticate'),
        () =>
          e.of('mgt.get.unknown').answer.body.includes('Client not found')
            ? undefined
            : 'the text "Client not found" is missing',
      ),
  },
  {
    id: 'MGT-010',
    title: 'A change with the mandatory members and one more is taken.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7592 2.2', 'clients 15'],
    why: 'Clients send what they know, not all that the server answered.',
    remedy: 'Ask for client_id and the mandatory metadata alone.',
    needs: ['management'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('mgt.put'), 200),
        expectMember(e.of('mgt.put'), 'client_uri', 'https://client.contract.example/new'),
      ),
  },
  {
    id: 'MGT-011',
    title: 'What a change leaves out stays as it is.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, PUT /auth/register/:client-id', 'decision D21', 'clients 15'],
    why: 'Clients send the fields to set, and no others.',
    remedy: 'Keep members that are not in the body.',
    needs: ['management'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('mgt.put'), 200),
        expectMember(e.of('mgt.put'), 'policy_uri', 'https://client.contract.example/policy'),
      ),
  },
  {
    id: 'MGT-012',
    title: 'A client cannot give itself privileges by a change.',
    level: 'must',
    basis: 'product',
    rules: ['oauth.md 1.1'],
    why: 'Whoever registers could otherwise ask for everything.',
    remedy: 'Take only the members of the registration from the body.',
    needs: ['management'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('mgt.put'), 200),
        expectNoMember(e.of('mgt.put'), 'flagship'),
        expectNoMember(e.of('mgt.get.put'), 'flagship'),
      ),
  },
  {
    id: 'MGT-013',
    title: 'A change without the secret leaves the secret as it is.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 14'],
    why: 'The client goes on using the one it holds.',
    remedy: 'Replace the secret only where the current one was sent.',
    needs: ['management'],
    judge: (e) =>
      expectMember(e.of('mgt.put'), 'client_secret', jsonOf(e.of('mgt.client'))['client_secret']),
  },
  {
    id: 'MGT-014',
    title: 'A change with a wrong secret is refused.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7592 2.2 MUST'],
    why: 'It must match the one that is currently issued.',
    remedy: 'Answer 400.',
    needs: ['management'],
    judge: (e) => allOf(expectStatus(e.of('mgt.put.wrong'), 400, 401, 403)),
  },
  {
    id: 'MGT-015',
    title: 'A change with the id of another client is refused.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7592 2.2 MUST'],
    why: 'The id in the body must be the one in the path.',
    remedy: 'Answer 400.',
    needs: ['management'],
    judge: (e) => allOf(expectRefused(e.of('mgt.put.id'))),
  },
  {
    id: 'MGT-016',
    title: 'A change with the current secret gives a new one.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 14', 'seed, PUT /auth/register/:client-id'],
    why: 'That is how a client asks for another secret.',
    remedy: 'Issue a new secret when the current one is in the body.',
    needs: ['management'],
    judge: (e) => {
      const answer = e.of('mgt.put.secret')
      const before = jsonOf(e.of('mgt.client'))['client_secret']
      return allOf(expectStatus(answer, 200), expectMember(answer, 'client_secret'), () =>
        jsonOf(answer)['client_secret'] === before ? 'the secret is the old one' : undefined,
      )
    },
  },
  {
    id: 'MGT-017',
    title: 'The old secret is dead at once, and the new one works.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 14'],
    why: 'A secret is changed because somebody else may know it.',
    remedy: 'Compare with the current secret alone, without a cache.',
    needs: ['management'],
    judge: (e) =>
      allOf(
        expectMember(e.of('mgt.secret.old'), 'error', 'invalid_client'),
        expectMember(e.of('mgt.secret.new'), 'error', 'invalid_grant'),
      ),
  },
  {
    id: 'MGT-018',
    title: 'No cache keeps a record.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7592 5', 'RFC 7591 3.2.1'],
    why: 'It holds credentials.',
    remedy: 'Answer Cache-Control: no-store.',
    needs: ['management'],
    judge: (e) =>
      allOf(
        expectHeader(e.of('mgt.get'), 'cache-control', /\bno-store\b/),
        expectHeader(e.of('mgt.put'), 'cache-control', /\bno-store\b/),
        () => (locationOf(e.of('mgt.get')) === '' ? undefined : 'it leads elsewhere'),
      ),
  },
]

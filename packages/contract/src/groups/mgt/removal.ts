import type { Check } from '../../model/check.ts'
import { allOf, expectError, expectNoMember, expectStatus } from '../../model/expect.ts'

/** Rules of removing a client (RFC 7592 2.3). */
export const MGT_REMOVAL: readonly Check[] = [
  {
    id: 'MGT-019',
    title: 'Without its token nobody removes a client.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7592 2.3 MUST'],
    why: 'Anybody could otherwise disconnect the owner.',
    remedy: 'Answer 401, and keep the client.',
    needs: ['management'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('mgt.delete.nothing'), 400, 401),
        expectStatus(e.of('mgt.delete.foreign'), 401, 403),
        expectStatus(e.of('mgt.still'), 200),
      ),
  },
  {
    id: 'MGT-020',
    title: 'A client removes itself; the answer is 204 without a body.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7592 2.3 MUST', 'clients 40'],
    why: 'Clients that are uninstalled leave nothing behind.',
    remedy: 'Answer 204.',
    needs: ['management'],
    judge: (e) =>
      allOf(expectStatus(e.of('mgt.delete'), 204), () =>
        e.of('mgt.delete').answer.body === '' ? undefined : 'there is a body',
      ),
  },
  {
    id: 'MGT-021',
    title: 'Removing a client twice is no fault.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 18'],
    why: 'Clients repeat what they got no answer to.',
    remedy: 'Answer 204 for a client that is not there.',
    needs: ['management'],
    judge: (e) => expectStatus(e.of('mgt.delete.again'), 204),
  },
  {
    id: 'MGT-022',
    title: 'Removing a client that never was is no fault.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 18'],
    why: 'Clients of an earlier server remove themselves, too.',
    remedy: 'Answer 204 for a client that is not there.',
    needs: ['management'],
    judge: (e) => expectStatus(e.of('mgt.delete.unknown'), 204),
  },
  {
    id: 'MGT-023',
    title: 'The access token of a removed client is dead.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 19', 'RFC 7592 2.3 SHOULD'],
    why: 'Whoever removes a client means it to have no access any more.',
    remedy: 'Look up the client where tokens are checked.',
    needs: ['management', 'resource'],
    judge: (e) =>
      allOf(expectStatus(e.of('mgt.alive'), 200, 404), expectStatus(e.of('mgt.dead.access'), 401)),
  },
  {
    id: 'MGT-024',
    title: 'The refresh token of a removed client is dead.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7592 2.3 SHOULD'],
    why: 'It would outlive its client.',
    remedy: 'Answer 401 invalid_client.',
    needs: ['management'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('mgt.still'), 200),
        expectError(e.of('mgt.dead.refresh'), [400, 401], 'invalid_client', 'invalid_grant'),
      ),
  },
  {
    id: 'MGT-025',
    title: 'The token endpoint says of a removed client that it must be registered.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 17'],
    why: 'Published clients log themselves out by this text.',
    remedy: 'Answer invalid_client with "the client must be registered".',
    needs: ['management'],
    judge: (e) =>
      e.of('mgt.dead.refresh').answer.body.includes('the client must be registered')
        ? undefined
        : 'the text "the client must be registered" is missing',
  },
  {
    id: 'MGT-026',
    title: 'A code of a removed client is dead.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7592 2.3 SHOULD'],
    why: 'It would become a token without a client.',
    remedy: 'Answer 401 invalid_client.',
    needs: ['management'],
    judge: (e) => expectError(e.of('mgt.dead.code'), [400, 401], 'invalid_client', 'invalid_grant'),
  },
  {
    id: 'MGT-027',
    title: 'The record of a removed client is gone.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 18'],
    why: 'A client learns by it that the owner removed it.',
    remedy: 'Answer 404 with "Client not found".',
    needs: ['management'],
    judge: (e) => expectStatus(e.of('mgt.dead.get'), 404),
  },
  {
    id: 'MGT-028',
    title: 'An empty text in a change clears the member.',
    level: 'must',
    basis: 'product',
    rules: ['decision D21', 'clients 2'],
    why: 'A client could otherwise never take anything back.',
    remedy: 'Drop members that are "" or null.',
    needs: ['management'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('mgt.put.clear'), 200),
        expectNoMember(e.of('mgt.put.clear'), 'client_uri'),
      ),
  },
]

import * as oauth from 'oauth4webapi'
import type { Check } from '../../model/check.ts'
import {
  allOf,
  expectError,
  expectHeader,
  expectMember,
  expectNoMember,
  expectStatus,
  jsonOf,
  show,
} from '../../model/expect.ts'
import { stockAccepts } from '../stock.ts'

/** Rules of refreshing (RFC 6749 6). */
export const REF_CHECKS: readonly Check[] = [
  {
    id: 'REF-001',
    title: 'A refresh token gives another access token.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 6', 'seed, POST /auth/access_token'],
    why: 'An access token lives for a day.',
    remedy: 'Answer 200 with a new access_token.',
    judge: (e) => {
      const before = jsonOf(e.of('ref.grant'))['access_token']
      return allOf(
        expectStatus(e.of('ref.first'), 200),
        expectMember(e.of('ref.first'), 'access_token'),
        () =>
          jsonOf(e.of('ref.first'))['access_token'] === before
            ? 'the access token is the old one'
            : undefined,
      )
    },
  },
  {
    id: 'REF-002',
    title: 'Every refresh answers the same refresh token.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 10', 'clients 11'],
    why: 'Published clients keep their first one, and libraries want one in each answer.',
    remedy: 'Do not rotate refresh tokens of clients that have a secret; answer the token.',
    judge: (e) => {
      const token = jsonOf(e.of('ref.grant'))['refresh_token']
      return expectMember(e.of('ref.first'), 'refresh_token', token)
    },
  },
  {
    id: 'REF-003',
    title: 'Ten refreshes at a time are all answered.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 10'],
    why: 'Windows of one client refresh side by side.',
    remedy: 'Do not use a refresh token up.',
    judge: (e) => allOf(...e.all('ref.racer.').map((one) => () => expectStatus(one, 200))),
  },
  {
    id: 'REF-004',
    title: 'The granted scope may be named in a refresh.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 6', 'clients 43'],
    why: 'Libraries send it along.',
    remedy: 'Take a scope that is equal to the granted one.',
    judge: (e) => expectStatus(e.of('ref.same.scope'), 200),
  },
  {
    id: 'REF-005',
    title: 'A part of the scope may be asked for, and is what is given.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 6'],
    why: 'A client takes along no more than it needs.',
    remedy: 'Issue a token for that part.',
    judge: (e) => {
      const asked = new URLSearchParams(e.of('ref.narrow').request.body).get('scope')
      return allOf(
        expectStatus(e.of('ref.narrow'), 200),
        expectMember(e.of('ref.narrow'), 'scope', asked),
      )
    },
  },
  {
    id: 'REF-006',
    title: 'More than the owner allowed is refused.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 6 MUST NOT'],
    why: 'The owner was not asked.',
    remedy: 'Answer 400 invalid_scope.',
    judge: (e) =>
      allOf(
        expectError(e.of('ref.wide'), [400], 'invalid_scope'),
        expectNoMember(e.of('ref.wide'), 'access_token'),
      ),
  },
  {
    id: 'REF-007',
    title: 'A refresh token is good for its own client alone.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 6 MUST', 'RFC 6749 10.4 MUST'],
    why: 'Whoever finds it needs the secret of its client, too.',
    remedy: 'Answer 400 invalid_grant to another client.',
    judge: (e) =>
      allOf(
        expectError(e.of('ref.foreign'), [400], 'invalid_grant'),
        expectNoMember(e.of('ref.foreign'), 'access_token'),
      ),
  },
  {
    id: 'REF-008',
    title: 'A refresh without a token is refused.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 6 REQUIRED'],
    why: 'There is nothing to refresh.',
    remedy: 'Answer 400 invalid_request.',
    judge: (e) => expectError(e.of('ref.missing'), [400], 'invalid_request'),
  },
  {
    id: 'REF-009',
    title: 'A token that nobody issued is refused.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 5.2'],
    why: 'Clients ask the owner anew by this answer.',
    remedy: 'Answer 400 invalid_grant.',
    judge: (e) => expectError(e.of('ref.unknown'), [400], 'invalid_grant'),
  },
  {
    id: 'REF-010',
    title: 'An access token is no refresh token.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 1.5', 'oauth.md 6.2'],
    why: 'Resource servers see access tokens; they must not live for ever there.',
    remedy: 'Answer 400 invalid_grant.',
    judge: (e) => expectError(e.of('ref.access'), [400], 'invalid_grant'),
  },
  {
    id: 'REF-011',
    title: 'A registration access token is no refresh token.',
    level: 'must',
    basis: 'product',
    rules: ['oauth.md 6.2'],
    why: 'It was issued without asking the owner.',
    remedy: 'Answer 400 invalid_grant.',
    judge: (e) => expectError(e.of('ref.registration'), [400], 'invalid_grant'),
  },
  {
    id: 'REF-012',
    title: 'Refusals leave the grant as it is.',
    level: 'must',
    basis: 'product',
    rules: ['oauth.md 6.4'],
    why: 'Another client could otherwise end it.',
    remedy: 'Do not revoke because of a refusal.',
    judge: (e) => expectStatus(e.of('ref.after'), 200),
  },
  {
    id: 'REF-013',
    title: 'No cache keeps the answer, and a stock client accepts it.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 5.1 MUST'],
    why: 'It holds credentials.',
    remedy: 'Answer Cache-Control: no-store, and what RFC 6749 5.1 names.',
    judge: async (e) =>
      expectHeader(e.of('ref.first'), 'cache-control', /\bno-store\b/) ??
      stockAccepts(e.of('ref.first'), (answer) =>
        oauth.processRefreshTokenResponse({ issuer: e.target }, { client_id: 'client' }, answer),
      ),
  },
  {
    id: 'REF-014',
    title: 'An access token stays good when another one was fetched.',
    level: 'should',
    basis: 'product',
    rules: ['oauth.md 6.4'],
    why: 'Requests that are under way carry it.',
    remedy: 'Let access tokens live until they expire.',
    needs: ['resource'],
    judge: (e) => {
      const { status } = e.of('ref.old.access').answer
      return status === 401 ? `the status is ${show(status)}` : undefined
    },
  },
]

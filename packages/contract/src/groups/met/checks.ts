import * as oauth from 'oauth4webapi'
import type { Check, Finding } from '../../model/check.ts'
import type { Answered, Evidence } from '../../model/evidence.ts'
import {
  allOf,
  expectHeader,
  expectJson,
  expectMember,
  expectNoHeader,
  expectStatus,
  jsonOf,
  parameterOf,
  show,
} from '../../model/expect.ts'
import { stockAccepts } from '../stock.ts'

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint'] as const

/** Rules of the metadata document (RFC 8414). */
export const MET_CHECKS: readonly Check[] = [
  {
    id: 'MET-001',
    title: 'The metadata document is JSON with status 200.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 8414 3.2 MUST'],
    why: 'Standard clients begin with this document.',
    remedy: 'Answer GET /.well-known/oauth-authorization-server with 200 and application/json.',
    judge: (e) => allOf(expectStatus(document(e), 200), expectJson(document(e))),
  },
  {
    id: 'MET-002',
    title: 'The issuer is the base of the server, byte for byte.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 8414 3.3 MUST'],
    why: 'A client that finds another issuer must not use the document.',
    remedy: 'Write the origin that was asked, without a slash at its end.',
    judge: (e) => expectMember(document(e), 'issuer', e.target),
  },
  {
    id: 'MET-003',
    title: 'Authorization, token and registration endpoints are named, on this server.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 8414 2 REQUIRED'],
    why: 'Clients go where the document leads.',
    remedy: 'Name each endpoint as an absolute URL below the issuer.',
    judge: (e) =>
      allOf(
        ...ENDPOINTS.map((name) => () => {
          const value = jsonOf(document(e))[name]
          return typeof value === 'string' && value.startsWith(`${e.target}/`)
            ? undefined
            : `${name} is ${show(value)}`
        }),
      ),
  },
  {
    id: 'MET-004',
    title: 'Each endpoint that is named exists.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 8414 2'],
    why: 'What is announced and absent breaks clients later, with a worse message.',
    remedy: 'Serve the endpoint, or leave it out of the document.',
    judge: (e) =>
      allOf(
        ...['authorization', 'token', 'registration', 'revocation'].map((name) => () => {
          if (jsonOf(document(e))[`${name}_endpoint`] === undefined) return undefined
          const { status } = e.of(`met.${name}`).answer
          return status === 404 || status >= 500 ? `${name}_endpoint answers ${status}` : undefined
        }),
      ),
  },
  {
    id: 'MET-005',
    title: 'The only response type is code.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, What the service does 3'],
    why: 'The implicit grant is not offered.',
    remedy: 'Announce response_types_supported ["code"].',
    judge: (e) => expectMember(document(e), 'response_types_supported', ['code']),
  },
  {
    id: 'MET-006',
    title: 'The grant types are authorization code and refresh token, and no others.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, What the service does 3'],
    why: 'Client credentials and passwords are not offered as grants.',
    remedy: 'Announce grant_types_supported ["authorization_code", "refresh_token"].',
    judge: (e) =>
      sameSet(document(e), 'grant_types_supported', ['authorization_code', 'refresh_token']),
  },
  {
    id: 'MET-007',
    title: 'S256 is announced for PKCE, and plain is not.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 9700 2.1.1', 'RFC 7636 4.2'],
    why: 'A client that sees no S256 may go without PKCE.',
    remedy: 'Announce code_challenge_methods_supported ["S256"].',
    judge: (e) => sameSet(document(e), 'code_challenge_methods_supported', ['S256']),
  },
  {
    id: 'MET-008',
    title: 'Clients may send their secret in the form and by Basic.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 35', 'RFC 6749 2.3.1'],
    why: 'Libraries differ in their default.',
    remedy: 'Announce client_secret_post and client_secret_basic.',
    judge: (e) => {
      const methods = jsonOf(document(e))['token_endpoint_auth_methods_supported']
      const missing = ['client_secret_post', 'client_secret_basic'].filter(
        (one) => !Array.isArray(methods) || !methods.includes(one),
      )
      return missing.length === 0 ? undefined : `${missing.join(' and ')} is missing`
    },
  },
  {
    id: 'MET-009',
    title: 'Answers of the authorization endpoint name the issuer, and the document says so.',
    level: 'should',
    basis: 'rfc',
    rules: ['RFC 9207 3', 'RFC 9700 2.1 RECOMMENDED'],
    why: 'A client with several servers tells by it who answered.',
    remedy: 'Announce authorization_response_iss_parameter_supported true, and send iss.',
    judge: (e) => {
      const document = e.of('met.document')
      return allOf(
        expectMember(document, 'authorization_response_iss_parameter_supported', true),
        () => {
          const iss = parameterOf(e.note('met.code.location'), 'iss')
          return iss === jsonOf(document)['issuer'] ? undefined : `iss is ${show(iss)}`
        },
      )
    },
  },
  {
    id: 'MET-010',
    title: 'Any origin may read the document, without credentials.',
    level: 'should',
    basis: 'product',
    rules: ['decision D9', 'RFC 8414 3'],
    why: 'Clients in a browser read it, too.',
    remedy: 'Answer Access-Control-Allow-Origin "*" and no Access-Control-Allow-Credentials.',
    judge: (e) =>
      allOf(
        expectHeader(e.of('met.cors'), 'access-control-allow-origin', /^\*$/),
        expectNoHeader(e.of('met.cors'), 'access-control-allow-credentials'),
      ),
  },
  {
    id: 'MET-011',
    title: 'There is no OpenID configuration, JWKS, userinfo, introspection or pushed request.',
    level: 'must',
    basis: 'product',
    rules: ['decision D9', 'oauth.md 13.1'],
    why: 'What an engine brings along and nobody guards is open to anybody.',
    remedy: 'Answer 404 for every path that is not of the interface.',
    judge: (e) => allOf(...e.all('met.absent.').map((one) => () => expectStatus(one, 404))),
  },
  {
    id: 'MET-012',
    title: 'The document announces nothing that is not served.',
    level: 'must',
    basis: 'product',
    rules: ['decision D9'],
    why: 'Clients use what they find.',
    remedy: 'Leave out members of OpenID, of introspection and of pushed requests.',
    judge: (e) => {
      const found = Object.keys(jsonOf(document(e))).filter((name) =>
        /^(jwks_uri|userinfo_|introspection_|pushed_|end_session_|id_token_|request_object_|device_)/.test(
          name,
        ),
      )
      return found.length === 0 ? undefined : `${found.join(', ')} is announced`
    },
  },
  {
    id: 'MET-013',
    title: 'A stock client library accepts the document.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 8414 3.3'],
    why: 'oauth4webapi follows the RFC where a check of ours might err.',
    remedy: 'Read what the library says.',
    judge: (e) =>
      stockAccepts(document(e), (answer) =>
        oauth.processDiscoveryResponse(new URL(e.target), answer),
      ),
  },
  {
    id: 'MET-014',
    title: 'HEAD is answered as GET, without a body.',
    level: 'should',
    basis: 'rfc',
    rules: ['RFC 9110 9.3.2'],
    why: 'Monitors and caches ask by HEAD.',
    remedy: 'Serve HEAD wherever GET is served.',
    judge: (e) =>
      allOf(expectStatus(e.of('met.head'), 200), () =>
        e.of('met.head').answer.body === '' ? undefined : 'there is a body',
      ),
  },
  {
    id: 'MET-015',
    title: 'The first way to authenticate that is announced is none.',
    level: 'must',
    basis: 'product',
    needs: ['assistants'],
    rules: ['assistants.md 1.3', 'decision D90'],
    why: 'Software kits of assistants take the first that they know.',
    remedy: 'Announce none first in token_endpoint_auth_methods_supported.',
    judge: (e) => {
      const methods = jsonOf(document(e))['token_endpoint_auth_methods_supported']
      const first = Array.isArray(methods) ? methods[0] : undefined
      return first === 'none' ? undefined : `the first is ${show(first)}`
    },
  },
]

function document(e: Evidence): Answered {
  return e.of('met.document')
}

function sameSet(exchange: Answered, name: string, wanted: readonly string[]): Finding {
  const value = jsonOf(exchange)[name]
  const found = Array.isArray(value) ? value.map(String).toSorted() : []
  return found.join(' ') === wanted.toSorted().join(' ') ? undefined : `${name} is ${show(value)}`
}

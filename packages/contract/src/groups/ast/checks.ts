import type { Check } from '../../model/check.ts'
import type { Answered } from '../../model/evidence.ts'
import {
  allOf,
  expectError,
  expectHeader,
  expectMember,
  expectNoHeader,
  expectStatus,
  jsonOf,
} from '../../model/expect.ts'

const CHALLENGE = /^Bearer (?:.*, )?resource_metadata="[^"]+"/

/** A refusal that tells a client where to begin. */
function expectChallenge(exchange: Answered, status: number) {
  return allOf(
    expectStatus(exchange, status),
    expectHeader(exchange, 'www-authenticate', CHALLENGE),
    () => (status === 405 ? expectHeader(exchange, 'allow', /\bPOST\b/) : undefined),
  )
}

/** Rules of the resource that assistants ask for. A server without one is asked nothing. */
export const AST_CHECKS: readonly Check[] = [
  {
    id: 'AST-001',
    title: 'A call without a token is answered by 401, which names the metadata of the resource.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 9728 5.1', 'assistants.md 1.6'],
    why: 'A client that knows nothing but the address begins with this answer.',
    remedy: 'Answer 401 with WWW-Authenticate: Bearer resource_metadata="…".',
    since: '1.2',
    judge: (e) => expectChallenge(e.of('ast.post'), 401),
  },
  {
    id: 'AST-002',
    title: 'The metadata of the resource name it and its authorization server.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 9728 3.3 MUST'],
    why: 'A client that finds another resource must not use the document.',
    remedy: 'Answer the address of the resource, and the issuer.',
    since: '1.2',
    judge: (e) =>
      allOf(
        expectStatus(e.of('ast.metadata'), 200),
        expectMember(e.of('ast.metadata'), 'resource', e.of('ast.post').request.url),
        expectMember(e.of('ast.metadata'), 'authorization_servers', [e.target]),
      ),
  },
  {
    id: 'AST-003',
    title: 'Other methods are challenged, too.',
    level: 'must',
    basis: 'product',
    rules: ['decision D94', 'assistants.md 1.6'],
    why: 'Published clients look for the challenge with GET and HEAD.',
    remedy: 'Answer 401 to HEAD, 405 with Allow to others, each with the challenge.',
    since: '1.2',
    judge: (e) =>
      allOf(
        expectChallenge(e.of('ast.head'), 401),
        expectChallenge(e.of('ast.get'), 405),
        expectChallenge(e.of('ast.delete'), 405),
      ),
  },
  {
    id: 'AST-004',
    title: 'The token is looked at before the type and the size of a body.',
    level: 'must',
    basis: 'product',
    rules: ['decision D94', 'assistants.md 6.2'],
    why: 'A client without a token learns nothing from 415 or 413.',
    remedy: 'Judge content type and size once the token is good.',
    since: '1.2',
    judge: (e) =>
      allOf(
        expectChallenge(e.of('ast.post.text'), 401),
        expectChallenge(e.of('ast.post.large'), 401),
      ),
  },
  {
    id: 'AST-005',
    title: 'A slash behind the address changes nothing.',
    level: 'must',
    basis: 'product',
    rules: ['decision D94', 'assistants.md 1.2'],
    why: 'People and clients write the address with one.',
    remedy: 'Serve the resource and its metadata with a slash as without.',
    since: '1.2',
    judge: (e) =>
      allOf(
        expectChallenge(e.of('ast.slash'), 401),
        expectStatus(e.of('ast.metadata.slash'), 200),
        () =>
          expectMember(
            e.of('ast.metadata.slash'),
            'resource',
            jsonOf(e.of('ast.metadata'))['resource'],
          ),
      ),
  },
  {
    id: 'AST-006',
    title: 'Any origin may read what a client without a secret is answered.',
    level: 'must',
    basis: 'product',
    rules: ['decision D94', 'oauth.md 2.5'],
    why: 'A client that is only a page would spend its code and not see the tokens.',
    remedy: 'Send Access-Control-Allow-Origin "*" and no Access-Control-Allow-Credentials.',
    since: '1.2',
    judge: (e) =>
      allOf(
        ...['ast.get', 'ast.open.token', 'ast.open.revocation'].map((label) => () => {
          const exchange = e.of(label)
          return allOf(
            expectHeader(exchange, 'access-control-allow-origin', /^\*$/),
            expectNoHeader(exchange, 'access-control-allow-credentials'),
          )
        }),
      ),
  },
  {
    id: 'AST-007',
    title: 'No other origin may read what a client with a secret is answered.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, What the service does 9', 'decision D94'],
    why: 'CORS is disabled for /auth.',
    remedy: 'Send no Access-Control-Allow-Origin where the request shows a secret.',
    since: '1.2',
    judge: (e) =>
      allOf(
        expectNoHeader(e.of('ast.closed.token'), 'access-control-allow-origin'),
        expectNoHeader(e.of('ast.closed.revocation'), 'access-control-allow-origin'),
      ),
  },
  {
    id: 'AST-008',
    title: 'A client with a secret that names the bare origin gets a token of the resource.',
    level: 'must',
    basis: 'product',
    rules: ['decision D94', 'assistants.md 4.2'],
    why: 'Its consent looks right, and then every call would be 401.',
    remedy: 'Take the bare origin for the resource of assistants, whoever asks.',
    since: '1.2',
    judge: (e) => expectStatus(e.of('ast.initialize'), 200),
  },
  {
    id: 'AST-009',
    title: 'A version is agreed on in the body of initialize, whatever its header says.',
    level: 'must',
    basis: 'product',
    rules: ['decision D94', 'assistants.md 6.2'],
    why: 'Clients name the version that they like best in a header, too.',
    remedy: 'Ignore MCP-Protocol-Version beside initialize.',
    since: '1.2',
    judge: (e) =>
      allOf(expectStatus(e.of('ast.initialize'), 200), () => {
        const { result } = jsonOf(e.of('ast.initialize'))
        const version = (result as { readonly protocolVersion?: unknown } | undefined)
          ?.protocolVersion
        return version === '2025-06-18' ? undefined : `the version is ${String(version)}`
      }),
  },
  {
    id: 'AST-010',
    title: 'The token endpoint is no audience of a client assertion.',
    level: 'must',
    basis: 'product',
    rules: ['decision D95', 'draft-ietf-oauth-rfc7523bis 4'],
    why: 'Another server may name this endpoint as its own, and pass the assertion on.',
    remedy: 'Take the issuer alone, as a string or a list of one.',
    needs: ['passphrase', 'pages', 'fresh'],
    since: '1.2',
    judge: (e) =>
      allOf(
        expectError(e.of('ast.keys.endpoint'), [400, 401], 'invalid_client'),
        expectError(e.of('ast.keys.both'), [400, 401], 'invalid_client'),
      ),
  },
  {
    id: 'AST-011',
    title: 'The issuer is, in a list of one, too, and the assertion may have its type.',
    level: 'must',
    basis: 'product',
    rules: ['decision D95', 'RFC 7523 3', 'RFC 7519 4.1.3'],
    why: 'Libraries write an audience either way.',
    remedy: 'Take a list with the issuer alone, and typ client-authentication+jwt.',
    needs: ['passphrase', 'pages', 'fresh'],
    since: '1.2',
    judge: (e) => expectStatus(e.of('ast.keys.list'), 200),
  },
  {
    id: 'AST-012',
    title: 'What a client got with its key is not refreshed without one.',
    level: 'must',
    basis: 'product',
    rules: ['decision D95', 'assistants.md 2.12'],
    why: 'Whoever has the refresh token alone is not the client.',
    remedy: 'Note at the exchange that the client showed a key, and ask for one from then on.',
    needs: ['passphrase', 'pages', 'fresh'],
    since: '1.2',
    judge: (e) =>
      allOf(
        expectError(e.of('ast.keys.bare'), [400, 401], 'invalid_client'),
        expectStatus(e.of('ast.keys.refresh'), 200),
      ),
  },
]

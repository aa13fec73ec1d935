import { anybody, defineRoute, provedInHandler, type Route } from '@svc/platform'
import { requireCertifiedClient, sendKonnectorToken } from './access/konnector-token.ts'
import { sendServerMetadata } from './access/server-metadata.ts'
import { authorizeSchema, sharingSchema } from './authorize/authorize.schema.ts'
import { answerConsent, showConsent } from './authorize/authorize.ts'
import { acceptSharing, cancelSharing, showSharing } from './authorize/sharing.ts'
import { exchangeToken } from './engine/bridge.ts'
import { revokeToken } from './engine/revoke.ts'
import { revokeSchema, tokenSchema } from './engine/token.schema.ts'
import {
  attestationSchema,
  challengeSchema,
  flagshipCodeSchema,
} from './registration/certification.schema.ts'
import {
  ATTESTATION_BODY,
  certifyByAttestation,
  certifyByCode,
  requireAttestingClient,
  requireChallengedClient,
  requireKnownClient,
  sendChallenge,
} from './registration/certify.ts'
import { clientSchema, clientUpdateSchema } from './registration/client.schema.ts'
import {
  deleteClient,
  readClient,
  requireRegisteredClient,
  updateClient,
} from './registration/manage.ts'
import {
  allowRegistration,
  CLIENT_BODY,
  CLIENT_LIMIT,
  registerClient,
  requireSettingsApp,
} from './registration/register.ts'
import type { OAuthServices } from './services.ts'

const TOKEN_FORM = {
  types: ['form'],
  wrongType: { status: 400, code: 'invalid_request' },
} as const

const ownerOf = (rule: string) => provedInHandler(['session cookie'], rule)
const WRONG_SECRETS = [
  {
    bucket: 'token',
    inRule: 'wrong secrets, per client and address: `engine/client-authentication.ts`',
  },
] as const

/** The package's endpoints, in the order of their paths: its whole URL space. */
export const oauthRoutes: readonly Route<OAuthServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    handler: sendServerMetadata,
    auth: anybody,
    statuses: [200, 400],
    family: 'oauth',
    cors: 'open',
    summary: 'Describes the authorization server to standard clients.',
    source: 'RFC 8414',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/access_token',
    handler: exchangeToken,
    auth: provedInHandler(['client secret', 'code'], 'engine/client-authentication.ts'),
    body: { ...TOKEN_FORM, schema: tokenSchema },
    statuses: [200, 400, 401, 413, 415],
    family: 'oauth',
    limit: WRONG_SECRETS,
    summary: 'Exchanges an authorization code or a refresh token for tokens.',
    source: 'oauth.md 6; RFC 6749 4.1.3, 6',
  }),
  defineRoute({
    method: 'GET',
    path: '/auth/authorize',
    handler: showConsent,
    auth: ownerOf('authorize/authorize.ts'),
    statuses: [200, 302, 400, 429],
    family: 'html',
    limit: [{ bucket: 'confirm-flagship', inRule: 'codes that are mailed to certify a client' }],
    summary: 'Asks the owner whether a client may have what it asks for.',
    source: 'oauth.md 5.1, 5.2; RFC 6749 4.1.1',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/authorize',
    handler: answerConsent,
    auth: ownerOf('authorize/authorize.ts'),
    // A request without any body still meets the CSRF rule first (oauth.md 5.3).
    body: { types: ['form'], optional: true, schema: authorizeSchema },
    csrf: 'token',
    statuses: [200, 302, 400, 401, 403, 413, 415],
    family: 'html',
    summary: 'Gives the client a code for what the owner allowed.',
    source: 'oauth.md 5.3, 5.7, 5.8; decision D42; RFC 6749 4.1.2',
  }),
  defineRoute({
    method: 'GET',
    path: '/auth/authorize/sharing',
    handler: showSharing,
    auth: ownerOf('authorize/sharing.ts'),
    statuses: [200, 302, 400],
    family: 'html',
    summary: 'Asks the owner whether to take part in a sharing.',
    source: 'oauth.md 5.9, decision D31',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/authorize/sharing',
    handler: acceptSharing,
    auth: ownerOf('authorize/sharing.ts'),
    // A request without any body still meets the CSRF rule first.
    body: { types: ['form'], optional: true, schema: sharingSchema },
    csrf: 'token',
    statuses: [200, 302, 400, 401, 403, 413, 415],
    family: 'html',
    summary: 'Takes part in a sharing, and gives the client that asked a code for it.',
    source: 'oauth.md 5.9, decision D31',
  }),
  defineRoute({
    method: 'GET',
    path: '/auth/authorize/sharing/:id/cancel',
    handler: cancelSharing,
    auth: ownerOf('authorize/sharing.ts'),
    statuses: [302, 400, 401],
    family: 'html',
    summary: 'Leads away from a sharing without taking part.',
    source: 'oauth.md 5.9',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/clients/:clientId/attestation',
    handler: certifyByAttestation,
    auth: requireAttestingClient,
    body: { ...ATTESTATION_BODY, schema: attestationSchema },
    statuses: [204, 400, 401, 404, 413, 415, 429],
    family: 'json',
    limit: [{ bucket: 'attestation', inRule: 'attestations of a challenge of the client' }],
    summary: "Certifies a client by its platform's attestation of a challenge.",
    source: 'oauth.md 4.2; clients.md 24',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/clients/:clientId/challenge',
    handler: sendChallenge,
    auth: requireChallengedClient,
    body: { types: ['json', 'form'], optional: true, schema: challengeSchema },
    statuses: [201, 400, 401, 404, 413, 415, 429],
    family: 'json',
    limit: CLIENT_LIMIT,
    summary: 'Gives a client a nonce to have itself attested with.',
    source: 'oauth.md 4.1; clients.md 16',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/clients/:clientId/flagship',
    handler: certifyByCode,
    auth: requireKnownClient,
    body: { types: ['form'], schema: flagshipCodeSchema },
    statuses: [204, 400, 401, 404, 413, 415, 429],
    family: 'json',
    limit: [{ bucket: 'confirm-flagship', inRule: 'codes of a page that the owner was shown' }],
    summary: 'Certifies a client by the code that was mailed to the owner.',
    source: 'oauth.md 4.6; decision D46',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/register',
    handler: registerClient,
    auth: allowRegistration,
    body: { ...CLIENT_BODY, schema: clientSchema },
    statuses: [201, 400, 403, 413, 415, 429],
    grows: true,
    family: 'oauth',
    limit: CLIENT_LIMIT,
    summary: 'Registers a client.',
    source: 'oauth.md 3.1; RFC 7591',
  }),
  defineRoute({
    method: 'GET',
    path: '/auth/register/:clientId',
    handler: readClient,
    auth: requireRegisteredClient,
    statuses: [201, 400, 401, 404],
    family: 'oauth',
    summary: "Answers a client's own record.",
    source: 'oauth.md 3.6; RFC 7592',
  }),
  defineRoute({
    method: 'PUT',
    path: '/auth/register/:clientId',
    handler: updateClient,
    auth: requireRegisteredClient,
    body: { ...CLIENT_BODY, schema: clientUpdateSchema },
    statuses: [200, 400, 401, 404, 409, 413, 415, 429],
    family: 'oauth',
    limit: CLIENT_LIMIT,
    summary: "Sets fields of a client's own record; with the current secret also gives a new one.",
    source: 'oauth.md 3.7, D21; RFC 7592',
  }),
  defineRoute({
    method: 'DELETE',
    path: '/auth/register/:clientId',
    handler: deleteClient,
    auth: requireRegisteredClient,
    statuses: [204, 400, 401],
    family: 'oauth',
    summary: 'Ends a client and everything it holds; answers 204 for an unknown one too.',
    source: 'oauth.md 3.8, 11.1; RFC 7592',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/registerFromWebApp',
    handler: registerClient,
    auth: requireSettingsApp,
    body: { ...CLIENT_BODY, schema: clientSchema },
    statuses: [201, 400, 403, 413, 415, 429],
    grows: true,
    family: 'oauth',
    cors: 'app-origins',
    limit: [{ bucket: 'oauth-client', inRule: 'requests of the settings app, before their body' }],
    summary: 'Registers a client on behalf of the settings app.',
    source: 'oauth.md 3.3',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/revoke',
    handler: revokeToken,
    auth: provedInHandler(['client secret'], 'engine/client-authentication.ts'),
    body: { ...TOKEN_FORM, schema: revokeSchema },
    statuses: [200, 400, 401, 413, 415],
    family: 'oauth',
    limit: WRONG_SECRETS,
    summary: 'Ends the grant that a refresh or access token belongs to.',
    source: 'RFC 7009',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/tokens/konnectors/:slug',
    handler: sendKonnectorToken,
    auth: requireCertifiedClient,
    body: { types: ['json', 'form'], optional: true, schema: challengeSchema },
    statuses: [201, 400, 401, 403, 404, 413, 415],
    family: 'json',
    summary: 'Gives a certified client a token of an installed konnector.',
    source: 'oauth.md 8; clients.md 16, 25',
  }),
]

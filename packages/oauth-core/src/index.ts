import '@svc/store/node-version'
export type { Assistants, KeptDocument } from './assistants/assistants.ts'
export type { Assistant, ResourceGrant } from './assistants/end-assistants.ts'
export type { AssistantCall, CallCounts, DocumentWrite } from './assistants/call.ts'
export type { CallPage, RecordedCall, RecordedDay } from './assistants/read-calls.ts'
export { CONSENT_DURATIONS } from './authorize/consent-durations.ts'
export type { DeprecatedApp } from './authorize/deprecated-apps.ts'
export type { MoveParameters, MoveRequest, Moves, MoveSize } from './authorize/moves.ts'
export { formActionSource } from './authorize/redirect.ts'
export type { SharingAnswer, SharingOffer, SharingPlace, Sharings } from './authorize/sharings.ts'
export type { AndroidAttestation } from './certification/android-claims.ts'
export {
  type AppleEnvironment,
  type FlagshipConfig,
  type FlagshipOptions,
  resolveFlagship,
} from './certification/attestation-config.ts'
export { AttestationError, isAttestationError } from './certification/attestation-error.ts'
export { APPLE_ROOTS, GOOGLE_ROOTS } from './certification/trust-roots.ts'
export {
  type AppAttestChecks,
  type AppAttestEvidence,
  type AppleAttestation,
  verifyAppAttest,
} from './certification/verify-app-attest.ts'
export {
  type PlayIntegrityChecks,
  type PlayIntegrityEvidence,
  verifyPlayIntegrity,
} from './certification/verify-play-integrity.ts'
export {
  type SafetyNetChecks,
  type SafetyNetEvidence,
  verifySafetyNet,
} from './certification/verify-safety-net.ts'
export { checkClientDocument, type DocumentReport } from './client-documents/check-document.ts'
export type { Client, ClientId, ClientMetadata } from './clients/client.ts'
export type { DocumentSnapshot } from './clients/client-document.ts'
export type {
  ClientAccess,
  ClientPage,
  ClientService,
  ClientsUsage,
} from './registration/client-service.ts'
export type { AccessChange, AccessChangeOutcome } from './registration/change-access.ts'
export type { ScopeDecision, ScopePolicy, ScopeRequest } from './consent-ports.ts'
export type { ActivitySource } from './registration/activity-source.ts'
export { linkedSlug } from './clients/client.ts'
export type { NotificationPlatform } from './clients/device-token.ts'
export type { Devices, NotifiableDevice } from './registration/devices.ts'
export {
  type NotificationCategory,
  parseCategories,
  type ParsedCategories,
} from './registration/notification-categories.ts'
export {
  type Authenticated,
  type NodeGuard,
  refusalResponse,
  type Refused,
  sendRefusal,
} from './access/authenticate-request.ts'
export { createOAuth } from './create-oauth.ts'
export { ERRORS, OAuthError, type OAuthErrorCode } from './errors.ts'
export { DEFAULT_LIFETIMES, type Lifetimes } from './lifetimes.ts'
export type { OAuth } from './oauth.ts'
export { OAUTH_RECORDS } from './records.ts'
export { DEFAULT_LIMITS, type OAuthBucket, type OAuthOptions } from './options.ts'
export type {
  AccessEnding,
  AppManifest,
  AppRegistry,
  AssistantAllowed,
  AssistantBefore,
  AssistantDuration,
  AssistantNews,
  AssistantView,
  AuthorizePages,
  ConsentDuration,
  ConsentSigns,
  Certification,
  CertifyView,
  ClientEvent,
  ConsentView,
  DeprecatedView,
  KonnectorManifest,
  KonnectorRegistry,
  LimitView,
  ManifestPermission,
  ManifestRoute,
  OAuthEvents,
  OwnerSession,
  OwnerSessions,
  PermissionChoice,
  RedeemedCode,
  SharingView,
  TellAccessEnding,
} from './ports.ts'
export type { Resource, ResourceOptions } from './resources/resources.ts'
export { manifestPermissions } from './scopes/manifest.ts'
export { type KindGroup, KIND_GROUPS, kindGroupOf, localType } from './scopes/kind-group.ts'
export { type Permission, type Verb, VERBS } from './scopes/permission.ts'
export { type Right, RIGHTS, rightsOf } from './scopes/rights.ts'
export { parseScope, serializeScope } from './scopes/scope.ts'
export type {
  AccessContext,
  ResourceAccess,
  ScopedDocument,
  TokenAccess,
} from './access/access-context.ts'
export type { TokenAnswer } from './engine/bridge.ts'
export type { AppTokens } from './tokens/app-token.ts'
export type { KonnectorTokens } from './access/konnector-token.ts'
export { insufficientScope } from './tokens/bearer.ts'
export { OAUTH_LOG_EVENTS } from './log/log-events.ts'
export { sealingKeys, type SealingKeysOptions } from '@svc/platform'

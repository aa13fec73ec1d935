import '@svc/store/node-version'
export { CONNECTION_BOUNDS, type ConnectionBounds } from './connections/bounds.ts'
export {
  type ConnectionFigures,
  type ConnectionLimits,
  limitConnections,
  type LimitConnectionsOptions,
} from './connections/limit-connections.ts'
export {
  REFUSAL_REASONS,
  type RefusalLog,
  type RefusalReason,
} from './connections/refusals.ts'
export {
  type CodedError,
  type CodedErrorOptions,
  defineErrors,
  type ErrorClass,
  type ErrorFault,
  type ErrorRow,
  type ErrorWords,
} from './define-errors.ts'
export { dateText } from './words/date-text.ts'
export {
  isLinkTarget,
  isLocalPath,
  readParagraphs,
  type ShownPart,
  type SlotParagraph,
  type SlotPart,
} from './words/host-paragraphs.ts'
export {
  appTextFaults,
  englishOf,
  type GivenLanguage,
  type LanguageFaults,
  messageFaults,
  missingAppTexts,
  missingTexts,
  textFaults,
} from './words/language-faults.ts'
export type { MessageNode, ParseMessage } from './words/text-fault.ts'
export { directionOf } from './words/direction-of.ts'
export { type PlainMessage, plainMessage } from './words/plain-message.ts'
export { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts'
export { ERRORS, OverloadedError } from './load/errors.ts'
export {
  limitLoad,
  type LimitLoadOptions,
  type LoadContext,
  type LoadFigures,
  type LoadLimits,
} from './load/limit-load.ts'
export type { RequestLoad } from './load/request-load.ts'
export { networkOf } from './network-of.ts'
export { compiledSchema } from './compiled-schema.ts'
export { type Emitter, createEmitter } from './events/emitter.ts'
export {
  type RevocableKind,
  type Revocation,
  type RevocationListener,
  type Revocations,
  createRevocations,
} from './events/revocations.ts'
export { createFreshCache } from './fresh-cache.ts'
export { claiming, claimingAs, type Claims } from './http/claims.ts'
export { cookieValues } from './http/cookie-values.ts'
export { detachedContext, type RequestLike } from './http/detached-context.ts'
export type { HandlerOptions, NodeListener, RequestHandler } from './http/handler.ts'
export {
  contextOf,
  type RequestCookies,
  type RequestView,
  viewOf,
} from './http/request-view.ts'
export type { KnownRequest, Requests } from './http/requests.ts'
export { setBaseHeaders, setEndpointHeaders } from './http/headers.ts'
export { type ErrorObject, type HttpError, isHttpError } from './http/http-error.ts'
export { prefersJson } from './http/negotiate.ts'
export { Parameters } from './http/parameters.ts'
export { plainPage, type PlainWords } from './http/plain-page.ts'
export { type ErrorRendering, renderError } from './http/render-error.ts'
export { withoutParameters } from './http/without-parameters.ts'
export {
  RequestError,
  REQUEST_ERRORS,
  type RequestErrorCode,
} from './http/request-error.ts'
export type { RequestState, RouteContext } from './http/request-state.ts'
export {
  type BodyRule,
  callersOf,
  type CorsRule,
  type CsrfRule,
  type RouteFamily,
  type RouteHandler,
  type RouteMiddleware,
  type RouteRow,
} from './http/route.ts'
export { bindRoutes, defineRoute, type LimitOf, type Route } from './http/define-route.ts'
export {
  anybody,
  type Caller,
  provedInHandler,
  requirement,
  type RouteAuth,
} from './http/route-auth.ts'
export {
  bodySchema,
  type BodySchema,
  describedSchema,
  type SchemaFault,
} from './http/route-body.ts'
export type { EnforcedLimit, LimitInRule, LimitSubject, RouteLimit } from './http/route-limit.ts'
export { type RouterEnvironment, mountRoutes } from './http/router.ts'
export { appHost, appOrigin, isSlug, originOfApp, parseAppHost } from './instances/app-host.ts'
export { hostName, withoutDefaultPort } from './instances/domain.ts'
export { type Hold, holdOf } from './instances/frozen.ts'
export { InstanceError, type InstanceErrorCode } from './instances/instance-error.ts'
export type {
  Freeze,
  Instance,
  InstanceId,
  InstanceRecord,
  InstanceSettings,
  InstanceStatus,
  Subdomains,
} from './instances/instance.ts'
export type {
  InstanceFault,
  InstancePage,
  InstanceRule,
  InstanceUpdate,
  Instances,
  NewInstance,
} from './instances/instances.ts'
export { parseAddress } from './instances/mail-address.ts'
export { totalOf, type KeyCounts } from './reseal/key-counts.ts'
export { type KeyStatus, KeyStatusReader, type SealingKeyStatus } from './reseal/key-status.ts'
export {
  type OtherKey,
  type ProcessKeys,
  Reseal,
  RESEAL_RATE,
  type ResealOptions,
  type ResealProgress,
  ResealRefusedError,
  type ResealState,
} from './reseal/reseal.ts'
export {
  PacedWork,
  type PacedWorkOptions,
  type WorkProgress,
  type WorkStep,
  type WorkTools,
} from './work/paced-work.ts'
export { SIGNING_KEY_MS } from './keys/key-age.ts'
export { createKeyring, type StoredKeyring } from './keys/keyring-store.ts'
export type { KeyKind, Keyring, RotateOptions, SigningKey } from './keys/keyring.ts'
export {
  type Sealer,
  type SealingKey,
  createSealer,
  type SealedValue,
  sealingKeysOption,
} from './keys/sealer.ts'
export { parseSealingKeys, sealingKeys, type SealingKeysOptions } from './keys/keys-file.ts'
export { makeSecretFile } from './keys/secret-file.ts'
export {
  checkSealingKeys,
  type SealingKeyCheckOptions,
  SealingKeyError,
} from './keys/sealing-keys.ts'
export { SealedValueError, sealedWith } from './keys/sealed-text.ts'
export type { ValueSealer } from './keys/value-sealer.ts'
export { CACHE_TRUST_MS, CLOCK_SKEW_MS } from './lifetimes.ts'
export { PLATFORM_LOG_EVENTS, type PlatformLog } from './log/log-events.ts'
export type { EventLog, Logger } from './log/logger.ts'
export { findRecords, toFound } from './records/find-records.ts'
export type {
  FoundRecord,
  RecordKind,
  RecordPlaces,
  SealContext,
  SealedPlace,
} from './records/record-kind.ts'
export { PLATFORM_RECORDS } from './records.ts'
export { type JsonSchema, valueSchemas } from './records/value-schemas.ts'
export { bringForward, MalformedRecordError } from './records/bring-forward.ts'
export { versionedStore } from './records/versioned-store.ts'
export { RecordRegistry } from './records/record-registry.ts'
export {
  openMember,
  sealedMembers,
  type SealedMember,
  sealMember,
  withTexts,
} from './records/sealed-values.ts'
export { createOutbound } from './outbound/create-outbound.ts'
export { OutboundError, type OutboundFailure, isOutboundError } from './outbound/outbound-error.ts'
export {
  OUTBOUND_OPTIONS,
  type Outbound,
  type OutboundAnswer,
  type OutboundOptions,
  type OutboundRequest,
} from './outbound/outbound.ts'
export {
  ACTIVITY_EVENTS,
  ACTIVITY_GROUPS,
  type ActivityEventName,
  type ActivityGroup,
  type RouteActivity,
} from './activity/activity-events.ts'
export { dayOf, type OwnerDay } from './activity/owner-day.ts'
export {
  type ActivityActor,
  type ActivityDetail,
  type ActivityEvent,
  type ActivityLog,
  type ActivityOrigin,
  type ActivityTarget,
  type ActivityUse,
  NO_ACTIVITY,
} from './ports/activity-log.ts'
export type { EventSink, OwnerEvent } from './ports/event-sink.ts'
export type {
  FactorChange,
  BuiltInFactorKind,
  FactorKind,
  Mailer,
  RequestFacts,
  SystemMail,
  TwoFactorPurpose,
} from './ports/system-mail.ts'
export type { SystemText, Texter } from './ports/system-text.ts'
export { randomData } from './random-data.ts'
export { equalSecrets, randomAlphanumeric, randomHex, randomId } from './secrets.ts'
export {
  type RateLimit,
  type RateLimitOptions,
  type RateLimits,
  createRateLimits,
} from './rate-limits.ts'
export { createPlatform, type PlatformOptions } from './create-platform.ts'
export type { OwnPlatform, Platform } from './platform.ts'
export type { ExportKey, ImportKey } from './transfer/encryption.ts'
export type { ExportOptions } from './transfer/export-instance.ts'
export type { ImportOptions, ImportReport } from './transfer/import-instance.ts'
export type { InstanceTransfer } from './transfer/instance-transfer.ts'
export {
  TRANSFER_ERRORS,
  TransferError,
  type TransferErrorCode,
} from './transfer/transfer-error.ts'

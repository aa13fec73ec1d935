import { cidrs, flag, object, type Option, port, type Problem, text } from '@svc/platform/options'
import { FCM_ENDPOINT } from './fcm/fcm-gateway.ts'
import type { PushGateway } from './push-gateway.ts'
import { type WebPushOptions, webPushOptions } from './webpush/vapid.ts'

/** Providers of pushes; each is off without its options. @see notifications.md 16.3, 18 */
export interface MobileOptions {
  /** Google's service, for Android. */
  readonly fcm?: FcmOptions
  /** Apple's service. */
  readonly apns?: ApnsOptions
  /** Huawei's service. */
  readonly huawei?: HuaweiOptions
  /** Browsers, over their own services (RFC 8030). */
  readonly webpush?: WebPushOptions
  /** Takes all pushes instead, such as an outbox for development. */
  readonly gateway?: PushGateway
  /** CIDRs that web push endpoints may lie in beside public addresses. @defaultValue none */
  readonly trustedNetworks?: readonly string[]
}

/** Firebase Cloud Messaging. */
export interface FcmOptions {
  /** Path of a service account's JSON file; the default credentials. Absent: only those of single apps. */
  readonly credentialsFile?: string
  /** Origin of the service. @defaultValue `https://fcm.googleapis.com` */
  readonly endpoint?: string
}

/** Apple Push Notification service. */
export interface ApnsOptions {
  /** Path of a `.p8`, `.p12` or `.pem` file. */
  readonly keyFile: string
  /** Of a `.p12` file. */
  readonly password?: string
  /** With `.p8`. */
  readonly keyId?: string
  /** With `.p8`. */
  readonly teamId?: string
  /** Bundle id; needed with `.p8`. */
  readonly topic?: string
  /** Whether the sandbox host is used. @defaultValue `false` */
  readonly development?: boolean
  /** Origin instead of the vendor's. */
  readonly host?: string
  /** PEM of the authority of that host. */
  readonly ca?: string
}

/** Huawei Push Kit. */
export interface HuaweiOptions {
  /** Answers `{"accessToken"}` to a GET. Instead of `clientId`. */
  readonly getTokenUrl?: string
  /** Of the app at the vendor. Instead of `getTokenUrl`. */
  readonly clientId?: string
  /** With `clientId`. */
  readonly clientSecret?: string
  /** Where `clientId` gets its tokens. @defaultValue the vendor's */
  readonly tokenUrl?: string
  /** Takes pushes. */
  readonly sendUrl: string
}

const webUrl = text('an http(s) URL', isWebUrl)

/** The option that holds them; files are looked at later. */
export function mobileOptions(): Option<MobileOptions> {
  const fcm = object({
    credentialsFile: text('a path').optional('only those of single apps'),
    endpoint: webUrl.or(FCM_ENDPOINT),
  })
  const apns = object({
    keyFile: text('a path'),
    password: text('a text', {}).optional(),
    keyId: text('a text').optional(),
    teamId: text('a text').optional(),
    topic: text('a bundle id').optional(),
    development: flag().or(false),
    host: webUrl.optional("the vendor's"),
    ca: text('PEM of a certificate').optional(),
  })
  const huawei = object({
    getTokenUrl: webUrl.optional(),
    clientId: text('a text').optional(),
    clientSecret: text('a text').optional(),
    tokenUrl: webUrl.optional("the vendor's"),
    sendUrl: webUrl,
  })
  return object({
    fcm: fcm.optional('off'),
    apns: apns.that(apnsProblem).optional('off'),
    huawei: huawei.that(huaweiProblem).optional('off'),
    webpush: webPushOptions().optional('off'),
    gateway: port<PushGateway>(['send'], ['close']).optional(),
    trustedNetworks: cidrs().or([], 'none'),
  })
}

function apnsProblem({ keyFile, keyId, teamId, topic }: ApnsOptions): Problem {
  if (!keyFile.endsWith('.p8')) return undefined
  const missing = Object.entries({ keyId, teamId, topic })
    .filter(([, value]) => value === undefined)
    .map(([name]) => [name, 'is missing; a .p8 key needs it'] as const)
  return Object.fromEntries(missing)
}

function huaweiProblem({ getTokenUrl, clientId, clientSecret }: HuaweiOptions): Problem {
  const hasClient = clientId !== undefined && clientSecret !== undefined
  const isOne = (getTokenUrl !== undefined) !== hasClient
  return isOne ? undefined : 'must have either getTokenUrl, or clientId with clientSecret'
}

function isWebUrl(url: string): boolean {
  const protocol = URL.parse(url)?.protocol
  return protocol === 'https:' || protocol === 'http:'
}

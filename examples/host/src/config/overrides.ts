import { type AuthUiOptions, DEFAULT_LIMITS as UI_LIMITS } from '@svc/auth-ui'
import { DEFAULT_LIMITS as CONNECTORS_LIMITS, type ConnectorsOptions } from '@svc/connectors'
import { DEFAULT_LIMITS as CORE_LIMITS, type OAuthOptions } from '@svc/oauth-core'
import { DEFAULT_LIMITS as MCP_LIMITS, type McpOptions } from '@svc/mcp'
import { type RateLimit } from '@svc/platform'
import { DEFAULT_LIMITS as NOTIFY_LIMITS, type NotifyOptions } from '@svc/notify'
import { DEFAULT_LIFETIMES as REALTIME_LIFETIMES, type RealtimeOptions } from '@svc/realtime'
import type { Config } from './config.ts'

/** Lifetimes and limits of the configuration that `createOAuth` takes. */
export function coreOverrides(config: Config): Pick<OAuthOptions, 'lifetimes' | 'limits'> {
  return {
    lifetimes: pick(config.lifetimes, {
      accessToken: 'accessTokenMs',
      authorizationCode: 'authorizationCodeMs',
      pendingClient: 'pendingClientMs',
      tokenLife: 'resourceTokenMs',
      refreshToken: 'refreshTokenMs',
      signingKey: 'signingKeyMs',
    }),
    limits: limitsOf(config, CORE_LIMITS, {
      attestation: 'attestation',
      confirmFlagship: 'confirm-flagship',
      oauthClient: 'oauth-client',
      token: 'token',
    }),
  }
}

/** What of the configuration `createAuthUi` takes as it is. */
export function uiOverrides(
  config: Config,
): Pick<AuthUiOptions, 'confirm' | 'lifetimes' | 'limits'> {
  return {
    confirm: { authorizedHosts: config.confirmHosts?.split(',') ?? [] },
    lifetimes: pick(config.lifetimes, {
      csrf: 'csrf',
      knownDevice: 'knownDevice',
      loginHistory: 'loginHistory',
      longSession: 'longSession',
      longSessionIdle: 'longSessionIdle',
      normalSession: 'normalSession',
      normalSessionIdle: 'normalSessionIdle',
      shortSession: 'shortSession',
      transferCode: 'transferCode',
      activationCode: 'activationCode',
      confirmCode: 'confirmCode',
      emailVerifiedCode: 'emailVerifiedCode',
      magicCode: 'magicCode',
      resetToken: 'resetToken',
      sessionCode: 'openCode',
      trustedDevice: 'trustedDevice',
      totpEnrolment: 'totpEnrolment',
      twoFactor: 'twoFactor',
    }),
    limits: limitsOf(config, UI_LIMITS, {
      auth: 'auth',
      authIp: 'auth-ip',
      knownDevice: 'known-device',
      registerGuess: 'register-guess',
      transferCode: 'transfer-code',
      activationCode: 'activation-code',
      confirmCode: 'confirm-code',
      hintChange: 'hint-change',
      magicCodePassphrase: 'magic-code-passphrase',
      magicLink: 'magic-link',
      magicLinkSend: 'magic-link-send',
      passphraseReset: 'passphrase-reset',
      resendOnboardingMail: 'resend-onboarding-mail',
      resetGuess: 'reset-guess',
      sendHint: 'send-hint',
      sessionCode: 'session-code',
      sharePassword: 'share-password',
      sharePasswordIp: 'share-password-ip',
      totpEnrolment: 'totp-enrolment',
      twoFactor: 'two-factor',
      twoFactorGeneration: 'two-factor-generation',
      twoFactorToken: 'two-factor-token',
    }),
  }
}

/** Lifetimes and limits of the configuration that `createConnectors` takes. */
export function connectorsOverrides(
  config: Config,
): Pick<ConnectorsOptions, 'lifetimes' | 'limits'> {
  return {
    lifetimes: pick(config.lifetimes, {
      accountState: 'state',
      accountTicket: 'ticket',
      accountRefreshShortest: 'refreshShortest',
      accountRefreshMargin: 'refreshMargin',
    }),
    limits: limitsOf(config, CONNECTORS_LIMITS, {
      accountRedirect: 'account-redirect',
      accountRefresh: 'account-refresh',
      accountStart: 'account-start',
    }),
  }
}

/** Lifetimes and limits of the configuration that `createNotify` takes. */
export function notifyOverrides(
  config: Config,
): Pick<NotifyOptions, 'lifetimes' | 'limits' | 'maxKept' | 'maxUnfinished'> {
  const { notifyKept: maxKept, notifyUnfinished: maxUnfinished } = config.limits
  return {
    lifetimes: pick(config.lifetimes, {
      notification: 'finished',
      notificationBodies: 'bodies',
      notificationState: 'newestOfSource',
    }),
    limits: limitsOf(config, NOTIFY_LIMITS, {
      notifyPush: 'notify-push',
      notifyMail: 'notify-mail',
      notifySms: 'notify-sms',
      notifyPost: 'notify-post',
      notifyPostInstance: 'notify-post-instance',
    }),
    ...(maxKept !== undefined && { maxKept }),
    ...(maxUnfinished !== undefined && { maxUnfinished }),
  }
}

/** Limits of the configuration that `createMcp` takes. */
export function mcpOverrides(config: Config): Required<Pick<McpOptions, 'limits'>> {
  return {
    limits: limitsOf(config, MCP_LIMITS, {
      mcpAddress: 'address',
      mcpDocuments: 'documents',
      mcpHour: 'hour',
      mcpMinute: 'minute',
      mcpWrites: 'writes',
    }),
  }
}

/** Lifetimes and limits of the configuration that `createRealtime` takes. */
export function realtimeOverrides(config: Config): Pick<RealtimeOptions, 'lifetimes' | 'limits'> {
  return {
    lifetimes: {
      // Those of a process that drains come back one after the other, not all in one second.
      shutdown: Math.min(config.drain, REALTIME_LIFETIMES.shutdown),
      ...pick(config.lifetimes, {
        realtimePing: 'ping',
        realtimePong: 'pong',
        realtimeShutdown: 'shutdown',
      }),
    },
    limits: pick(config.limits, {
      realtimeAddressConnections: 'addressConnections',
      realtimeInstanceConnections: 'instanceConnections',
      realtimeMessages: 'messages',
      realtimePendingConnections: 'pendingConnections',
      realtimeSubscriptions: 'subscriptions',
    }),
  }
}

function pick<Option extends string>(
  values: Readonly<Record<string, number>>,
  names: Readonly<Record<string, Option>>,
): Partial<Record<Option, number>> {
  const picked: Partial<Record<Option, number>> = {}
  for (const [name, option] of Object.entries(names)) {
    const value = values[name]
    if (value !== undefined) picked[option] = value
  }
  return picked
}

/** The windows stay those of the specification: what is counted changes, not for how long. */
function limitsOf<Bucket extends string>(
  config: Config,
  defaults: Readonly<Record<Bucket, RateLimit>>,
  names: Readonly<Record<string, Bucket>>,
): Partial<Record<Bucket, RateLimit>> {
  const limits: Partial<Record<Bucket, RateLimit>> = {}
  for (const [name, bucket] of Object.entries(names)) {
    const limit = config.limits[name]
    if (limit !== undefined) limits[bucket] = { limit, windowMs: defaults[bucket].windowMs }
  }
  return limits
}

import type { ConfigGroup } from './entry.ts'

const DURATION = { type: 'duration' } as const

/** How long things live. */
export const LIFETIME_ENTRIES: ConfigGroup = {
  accessToken: { ...DURATION, defaultText: '`24h`', description: 'Access tokens; at most 24 h.' },
  authorizationCode: {
    ...DURATION,
    defaultText: '`5m`',
    description: 'Authorization codes; at most 10 min.',
  },
  refreshToken: {
    ...DURATION,
    defaultText: '`400d`',
    description: 'Refresh tokens, without being used.',
  },
  pendingClient: {
    ...DURATION,
    defaultText: '`1h`',
    description: 'Registered clients that never got a code.',
  },
  shortSession: {
    ...DURATION,
    defaultText: '`5m`',
    description: 'Logins that serve one authorization.',
  },
  normalSession: { ...DURATION, defaultText: '`30d`', description: 'Logins.' },
  normalSessionIdle: { ...DURATION, defaultText: '`30d`', description: 'Logins without use.' },
  longSession: {
    ...DURATION,
    defaultText: '`400d`',
    description: 'Logins that are remembered.',
  },
  longSessionIdle: {
    ...DURATION,
    defaultText: '`30d`',
    description: 'Remembered logins without use.',
  },
  transferCode: {
    ...DURATION,
    defaultText: '`60s`',
    description: 'Codes that hand a session to an app host (flat subdomains).',
  },
  csrf: { ...DURATION, defaultText: '`1h`', description: 'Form tokens.' },
  knownDevice: {
    ...DURATION,
    defaultText: '`180d`',
    description: 'Memory of browsers that logged in before.',
  },
  loginHistory: {
    ...DURATION,
    defaultText: '`365d`',
    description: 'Entries of the login history.',
  },
  activationCode: {
    ...DURATION,
    defaultText: '`5m`',
    description: 'Codes that turn the mail factor on.',
  },
  confirmCode: {
    ...DURATION,
    defaultText: '`5m`',
    description: 'Proofs that the owner confirmed.',
  },
  emailVerifiedCode: {
    ...DURATION,
    defaultText: '`15m`',
    description: 'Codes that stand for the second step after a mail was verified elsewhere.',
  },
  magicCode: { ...DURATION, defaultText: '`15m`', description: 'Magic links.' },
  resetToken: { ...DURATION, defaultText: '`15m`', description: 'Links to a new passphrase.' },
  sessionCode: {
    ...DURATION,
    defaultText: '`5m`',
    description: 'Session codes that any page of the instance takes.',
  },
  totpEnrolment: {
    ...DURATION,
    defaultText: '`10m`',
    description: 'Authenticator apps that were shown and have not proved themselves.',
  },
  trustedDevice: {
    ...DURATION,
    defaultText: '`90d`',
    description: 'Browsers that skip the second step.',
  },
  twoFactor: {
    ...DURATION,
    defaultText: '`5m`',
    description: 'Second steps that wait for their code.',
  },
  accountState: {
    ...DURATION,
    defaultText: '`15m`',
    description: "Time that an owner has for a provider's pages when an account is connected.",
  },
  accountTicket: {
    ...DURATION,
    defaultText: '`60s`',
    description: 'Answers of providers on their way from the callback host to the instance.',
  },
  accountRefreshShortest: {
    ...DURATION,
    defaultText: '`2m`',
    description: 'Tokens of accounts that live shorter are refreshed on demand only.',
  },
  accountRefreshMargin: {
    ...DURATION,
    defaultText: '`1m`',
    description: 'Tokens of accounts are refreshed this long before their end at the latest.',
  },
  notification: {
    ...DURATION,
    defaultText: '`90d`',
    description: 'Notifications after they were sent.',
  },
  notificationBodies: {
    ...DURATION,
    defaultText: '`7d`',
    description: 'Bodies of their mails.',
  },
  notificationState: {
    ...DURATION,
    defaultText: '`366d`',
    description: 'The newest notification of a kind whose next one is compared with it.',
  },
  realtimePing: {
    ...DURATION,
    defaultText: '`54s`',
    description: 'Time between two pings of a websocket.',
  },
  realtimePong: {
    ...DURATION,
    defaultText: '`60s`',
    description: 'Websockets are cut that did not answer a ping for this long.',
  },
  realtimeShutdown: {
    ...DURATION,
    defaultText: '`SVC_DRAIN`, at most `5s`',
    description:
      'Websockets are closed within this time at the end, so that not all come back at once. At most 5s.',
  },
}

import type { ConfigGroup } from './entry.ts'

const LIMIT = { type: 'integer', minimum: 0, maximum: 1_000_000_000 } as const
const BUCKET = { type: 'integer', minimum: 1, maximum: 1_000_000_000 } as const

/** How often something may happen. Windows stay those of the specification. */
export const LIMIT_ENTRIES: ConfigGroup = {
  requestsPerMinute: {
    ...LIMIT,
    default: 30_000,
    description: 'Coarse limit per client address (IPv6: per /64) and process; 0 turns it off.',
  },
  connections: {
    ...LIMIT,
    minimum: 1,
    default: 10_000,
    description:
      'Open connections of the public listener, never more than the limit of open files less 512; further ones are closed at once.',
  },
  connectionsPerAddress: {
    ...LIMIT,
    default: 256,
    description:
      'Of these, how many one client address (IPv6: /64) may have, never more than half; 0 turns it off, and it is off behind a proxy (`SVC_TRUST_PROXY`).',
  },
  disk: {
    type: 'size',
    default: '1GiB',
    description:
      'What one instance may keep, such as `5GiB`, a number of bytes, or `0` for no limit; `svc instance update --disk` is for one instance.',
  },
  requestsInFlight: {
    ...BUCKET,
    default: 1000,
    description:
      'Requests that a process handles at a time, one client address an eighth of them; further ones are answered 503 `overloaded`.',
  },
  auth: {
    ...BUCKET,
    defaultText: '`100`',
    description: 'Wrong passphrases an hour and instance.',
  },
  authIp: {
    ...BUCKET,
    defaultText: '`20`',
    description: 'Wrong passphrases in 15 minutes and client address.',
  },
  knownDevice: {
    ...BUCKET,
    defaultText: '`10`',
    description: 'Wrong passphrases in 15 minutes from a browser that logged in before.',
  },
  sharePassword: {
    ...BUCKET,
    defaultText: '`20`',
    description: 'Wrong passwords in 5 minutes of a link.',
  },
  sharePasswordIp: {
    ...BUCKET,
    defaultText: '`60`',
    description: 'Wrong passwords of links in 5 minutes and client address.',
  },
  registerGuess: {
    ...BUCKET,
    defaultText: '`30`',
    description: 'Wrong onboarding links an hour and instance.',
  },
  transferCode: {
    ...BUCKET,
    defaultText: '`5`',
    description: 'Times a minute that a session is handed to one app host (flat subdomains).',
  },
  attestation: {
    ...BUCKET,
    defaultText: '`50`',
    description: 'Attestations of clients an hour and instance.',
  },
  confirmFlagship: {
    ...BUCKET,
    defaultText: '`30`',
    description:
      'Mails with a code that certifies a client, and codes entered, an hour and instance.',
  },
  oauthClient: {
    ...BUCKET,
    defaultText: '`50`',
    description: 'Client registrations an hour and instance.',
  },
  token: {
    ...BUCKET,
    defaultText: '`300`',
    description: 'Refused token requests an hour, client and client address.',
  },
  activationCode: {
    ...BUCKET,
    defaultText: '`5`',
    description: 'Wrong codes of one activation of the mail factor.',
  },
  confirmCode: {
    ...BUCKET,
    defaultText: '`60`',
    description: 'Wrong confirmation codes an hour and client address.',
  },
  hintChange: {
    ...BUCKET,
    defaultText: '`20`',
    description: 'Reminders that are set an hour and instance.',
  },
  magicCodePassphrase: {
    ...BUCKET,
    defaultText: '`5`',
    description: 'Wrong passphrases with one magic link.',
  },
  magicLink: {
    ...BUCKET,
    defaultText: '`30`',
    description: 'Wrong magic links an hour and instance.',
  },
  magicLinkSend: {
    ...BUCKET,
    defaultText: '`5`',
    description: 'Mails with a magic link an hour and instance.',
  },
  passphraseReset: {
    ...BUCKET,
    defaultText: '`5`',
    description: 'Mails with a link to a new passphrase an hour and instance.',
  },
  resendOnboardingMail: {
    ...BUCKET,
    defaultText: '`2`',
    description: 'Mails with another onboarding link an hour and instance.',
  },
  resetGuess: {
    ...BUCKET,
    defaultText: '`10`',
    description: 'Wrong links to a new passphrase an hour and client address.',
  },
  sendHint: {
    ...BUCKET,
    defaultText: '`2`',
    description: 'Mails with the reminder an hour and instance.',
  },
  sessionCode: {
    ...BUCKET,
    defaultText: '`60`',
    description: 'Session codes an hour and instance.',
  },
  totpEnrolment: {
    ...BUCKET,
    defaultText: '`5`',
    description: 'Wrong codes of an authenticator app that is being enrolled.',
  },
  twoFactor: {
    ...BUCKET,
    defaultText: '`10`',
    description: 'Wrong codes of the second step in 5 minutes and instance.',
  },
  twoFactorGeneration: {
    ...BUCKET,
    defaultText: '`20`',
    description: 'Codes of the second step an hour and instance.',
  },
  twoFactorToken: {
    ...BUCKET,
    defaultText: '`5`',
    description: 'Wrong codes for one second step.',
  },
  accountRedirect: {
    ...BUCKET,
    defaultText: '`60`',
    description: 'Answers of providers with an unknown state a minute and client address.',
  },
  accountRefresh: {
    ...BUCKET,
    defaultText: '`60`',
    description: 'Refreshes of an account a minute.',
  },
  accountStart: {
    ...BUCKET,
    defaultText: '`30`',
    description: 'Accounts that begin to be connected a minute and instance.',
  },
  notifyPush: {
    ...LIMIT,
    defaultText: '`30`',
    description:
      'Pushes to devices an hour and instance; further notifications take the next channel.',
  },
  notifyMail: {
    ...LIMIT,
    defaultText: '`200`',
    description:
      'Mails of notifications an hour and instance; mails of the server itself never count.',
  },
  notifySms: {
    ...LIMIT,
    defaultText: '`20`',
    description: 'Texts a day and instance.',
  },
  notifyPost: {
    ...BUCKET,
    defaultText: '`100`',
    description: 'Notifications that one app posts an hour.',
  },
  notifyPostInstance: {
    ...BUCKET,
    defaultText: '`500`',
    description: 'Notifications that the apps of an instance post an hour.',
  },
  notifyKept: {
    ...BUCKET,
    maximum: 10_000_000,
    defaultText: '`10000`',
    description: 'Notifications that an instance keeps; of more, the oldest finished ones go.',
  },
  notifyUnfinished: {
    ...BUCKET,
    maximum: 1_000_000,
    defaultText: '`200`',
    description: 'Notifications of one app that wait to be sent, those for later included.',
  },
  mcpAddress: {
    ...BUCKET,
    defaultText: '`600`',
    description: 'Requests of assistants with a token, a minute and client address.',
  },
  mcpDocuments: {
    ...BUCKET,
    defaultText: '`5000`',
    description: 'Documents that an assistant is given a day.',
  },
  mcpHour: {
    ...BUCKET,
    defaultText: '`2000`',
    description: 'Calls of an assistant an hour.',
  },
  mcpMinute: {
    ...BUCKET,
    defaultText: '`120`',
    description: 'Calls of an assistant a minute.',
  },
  mcpWrites: {
    ...BUCKET,
    defaultText: '`20`',
    description: 'Calls of an assistant that write, a minute.',
  },
  realtimeAddressConnections: {
    ...BUCKET,
    defaultText: '`50`',
    description: 'Websockets of a client address (IPv6: per /64) and process.',
  },
  realtimeInstanceConnections: {
    ...BUCKET,
    defaultText: '`100`',
    description: 'Websockets of an instance and process.',
  },
  realtimeMessages: {
    ...BUCKET,
    defaultText: '`60`',
    description: 'Messages of a websocket in 10 seconds.',
  },
  realtimePendingConnections: {
    ...BUCKET,
    defaultText: '`10`',
    description: 'Websockets of a client address and process that did not authenticate yet.',
  },
  realtimeSubscriptions: {
    ...BUCKET,
    defaultText: '`200`',
    description: 'Subscriptions of a websocket.',
  },
}

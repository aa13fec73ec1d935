import { type JsonSchema, type RecordKind, valueSchemas } from '@svc/platform'
import { ENROLMENT_RECORDS } from './factors/enrolment-records.ts'
import { ownFactorContext } from './factors/own-factors.ts'
import { totpContext } from './factors/totp.ts'
import { OWN_FACTOR, PASSKEY, RECOVERY, TOTP } from './owner/factor-schemas.ts'
import { invitationContext } from './owner/owner.ts'
import { PROFILE_RECORD } from './owner/profile-record.ts'

const { boolean, count, instant, list, members, oneOf, text } = valueSchemas

const SHORT = { no: 'It is short-lived.' } as const

const METHOD = oneOf(
  'password',
  '2FA',
  'passkey',
  'magic_link',
  'session_code',
  'registration',
  'passphrase_change',
)
const FACTOR: JsonSchema = {
  type: 'string',
  pattern: '^(mail|totp|passkey|recovery|x-[a-z][a-z0-9-]{0,14})$',
}
/** What is kept of owners and their browsers. */
export const AUTH_UI_RECORDS: readonly RecordKind[] = [
  {
    kind: 'owner',
    version: 1,
    schema: members(
      {
        salt: text,
        kdf: { const: 0 },
        iterations: count,
        registerTokens: list(text, 3),
        securityStamp: text,
        createdAt: instant,
        updatedAt: instant,
      },
      {
        passphraseHash: members({
          algorithm: oneOf('scrypt-kdf', 'scrypt', 'foreign', 'foreign-passphrase'),
          value: text,
        }),
        hint: text,
        onboardedAt: instant,
        factors: members(
          {},
          {
            mail: members({ enabledAt: instant }),
            totp: TOTP,
            own: list(OWN_FACTOR),
            passkeys: list(PASSKEY),
            passkeyAfterPassphrase: boolean,
            recovery: RECOVERY,
          },
        ),
        magicLink: boolean,
        passwordDefined: boolean,
        invitation: text,
        reset: members({ hash: text, expiresAt: instant }),
        keys: members({}, { key: text, publicKey: text, privateKey: text }),
      },
    ),
    tags: 'instance',
    places: { by: 'ids', ids: ['owner'] },
    sealed: [
      {
        path: ['invitation'],
        context: ({ tag }) => ({ context: invitationContext(tag) }),
      },
      {
        path: ['factors', 'totp', 'secret'],
        context: (record) => {
          // As the schema has it: there is a secret only where there is a factor.
          const owner = record.value as { readonly factors: { readonly totp: { id: string } } }
          return { context: totpContext(record.tag, owner.factors.totp.id) }
        },
      },
      {
        path: ['factors', 'own', '*', 'state'],
        context: ({ tag, value }, [, , place]) => {
          const owner = value as { factors: { own: readonly { readonly id: string }[] } } // As the schema has it.
          const factor = owner.factors.own[Number(place)]
          return factor && { context: ownFactorContext(tag, factor.id) }
        },
      },
    ],
    life: 'with the instance; an onboarding or reset token, a recovery code, a time step, a counter is used once; a reset token lives 15 min, one at a time',
    export: 'yes',
    content:
      'passphrase hash with its algorithm, salt and iterations of the browser’s derivation, hint, SHA-256 of at most three onboarding tokens and of one reset token, the onboarding token that an import of owners answered, security stamp, vault keys (opaque), whether mailed links log in, whether anybody but the server knows the passphrase, factors of the second step: since when mail is on, secret and last step of the authenticator app, sealed states of factors of the host, passkeys with counters, whether they log in alone and under which stamp, whether they are asked for after the passphrase, SHA-256 of the recovery codes left',
  },
  PROFILE_RECORD,
  ...ENROLMENT_RECORDS,
  {
    kind: 'session',
    version: 1,
    schema: members(
      {
        id: text,
        kind: oneOf('short', 'normal', 'long'),
        method: METHOD,
        createdAt: instant,
        lastSeen: instant,
      },
      { device: text, isElsewhere: { const: true } },
    ),
    tags: 'instance',
    places: { by: 'index', index: 'sessions' },
    life: 'short 5 min, ended also by the browser that asked for its link; normal 30 days; long 30 days idle, 400 days in all; until logout or the owner’s list ends it',
    export: 'yes',
    content: '32 hex characters: kind, how it was opened, when, last use, id of the browser',
  },
  {
    kind: 'session-login',
    version: 1,
    schema: members(
      {
        sessionId: text,
        method: METHOD,
        ip: text,
        userAgent: text,
        os: text,
        browser: text,
        clientRegistration: boolean,
        createdAt: instant,
      },
      { city: text, subdivision: text, country: text },
    ),
    tags: 'instance',
    places: { by: 'index', index: 'session-logins' },
    life: '12 months',
    export: 'yes',
    content:
      'id of the session, of an app’s login one that no session has: session, address, place, browser, system, when',
  },
  {
    kind: 'login-place',
    version: 1,
    schema: members({ seenAt: instant }),
    tags: 'instance',
    places: { by: 'index', index: 'login-places' },
    life: '12 months',
    export: 'yes',
    content: 'SHA-256 of system, browser and country or address: when it was seen last',
  },
  {
    kind: 'known-device',
    version: 1,
    schema: members({ stamp: text }, { id: text }),
    tags: 'instance',
    places: { by: 'index', index: 'known-devices' },
    life: '180 days; worthless after a passphrase change (the stamp differs)',
    export: 'yes',
    content:
      'SHA-256 of a browser’s secret: security stamp of the time, id of the browser in the owner’s list',
  },
  {
    kind: 'trusted-device',
    version: 1,
    schema: members(
      { id: text, label: text, createdAt: instant, lastUsed: instant, stamp: text },
      { device: text },
    ),
    tags: 'instance',
    places: { by: 'index', index: 'trusted-devices' },
    life: '90 days; until the owner’s list or the end of the second factor ends it; worthless after a passphrase change (the stamp differs)',
    export: 'yes',
    content:
      'SHA-256 of the token: id, name of browser and system, when, last use (at most once a day), security stamp, id of the browser',
  },
  {
    kind: 'two-factor',
    version: 1,
    schema: members({
      stamp: text,
      status: oneOf('open', 'replaced', 'used'),
      isMailed: boolean,
      expiresAt: instant,
      request: members(
        { purpose: text },
        {
          redirect: text,
          state: text,
          isLongRun: boolean,
          clientId: text,
          isFirst: boolean,
          withoutPassphrase: boolean,
        },
      ),
    }),
    tags: 'instance',
    places: { by: 'index', index: 'two-factors' },
    life: 'good 5 min; kept an hour longer for the way back to step 1; used once, in one write with what the code uses up of the owner’s record; ended by a resend, five wrong codes, a passphrase change',
    export: SHORT,
    content:
      'SHA-256 of the token: security stamp, open, used or replaced, whether a passcode was mailed, what step 1 was about',
  },
  {
    kind: 'activation-code',
    version: 1,
    schema: members({ id: text, stamp: text, address: text, sentAt: instant }),
    tags: 'instance',
    places: { by: 'ids', ids: ['mail'] },
    life: '5 min; used once, in one write with the owner’s record; ended by another code, five wrong ones, a passphrase change',
    export: SHORT,
    content:
      'security stamp, address, when it was sent, id of its counter; not the code, which follows from them and the session key',
  },
  {
    kind: 'transfer-code',
    version: 1,
    schema: members({ session: text }),
    tags: 'instance',
    places: { by: 'nobody' },
    life: '60 s; used once, by the app’s host',
    export: SHORT,
    content: 'SHA-256 of app and code: session',
  },
  {
    kind: 'confirmation',
    version: 1,
    schema: stamped(
      members(
        { state: text },
        { slug: text, host: text, by: FACTOR, since: instant, withoutPassphrase: boolean },
      ),
    ),
    tags: 'instance',
    places: { by: 'nobody' },
    life: '5 min, good for many questions; worthless after a passphrase change (the stamp differs)',
    export: SHORT,
    content:
      'SHA-256 of the code: security stamp, state, app or host it led to, factor that was given, since when it is there, whether it was given in place of the passphrase',
  },
  {
    kind: 'passkey-challenge',
    version: 1,
    schema: stamped(text),
    tags: 'instance',
    places: { by: 'nobody' },
    life: '5 min; used once, by a new passkey, in one write with the owner’s record; worthless after a passphrase change',
    export: SHORT,
    content: 'SHA-256: security stamp, SHA-256 of the confirmation’s code',
  },
  {
    kind: 'passkey-use',
    version: 1,
    schema: { const: true },
    tags: 'instance',
    places: { by: 'nobody' },
    life: '10 min; a challenge itself lives 5 min and is not stored',
    export: SHORT,
    content: 'SHA-256 of a challenge that a passkey was accepted for, so that it is good once',
  },
  {
    kind: 'open-code',
    version: 1,
    schema: stamped({ const: true }),
    tags: 'instance',
    places: { by: 'nobody' },
    life: '5 min; used once, by a page of an app or of the authorization; worthless after a passphrase change',
    export: SHORT,
    content: 'SHA-256: security stamp of the time',
  },
  {
    kind: 'magic-code',
    version: 1,
    schema: stamped(members({ browser: text }, { redirect: text, elsewhere: text })),
    tags: 'instance',
    places: { by: 'nobody' },
    life: '15 min; used once by the browser that asked and once, before that, by another; ended by five wrong passphrases and by a passphrase change; worthless while magic links are off',
    export: SHORT,
    content:
      'SHA-256: security stamp; SHA-256 of the secret of the browser that asked; where the link was asked to lead; the session that another browser opened',
  },
  {
    kind: 'email-verified-code',
    version: 1,
    schema: stamped({ const: true }),
    tags: 'instance',
    places: { by: 'nobody' },
    life: '15 min; used once, by a login that skips the second factor; worthless after a passphrase change',
    export: SHORT,
    content: 'SHA-256: security stamp',
  },
]

/** A value of `one-time-values.ts`. */
function stamped(value: JsonSchema): JsonSchema {
  return members({ stamp: text, value })
}

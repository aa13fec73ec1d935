import { type FoundRecord, type RecordKind, type SealContext, valueSchemas } from '@svc/platform'
import { totpContext } from './factors/totp.ts'

const { boolean, count, instant, list, members, oneOf, text } = valueSchemas

const SHORT = { no: 'It is short-lived.' } as const

const TOTP = members(
  { id: text, secret: text, lastStep: count, createdAt: instant },
  { lastUsed: instant },
)
const RECOVERY = members({ hashes: list(text), createdAt: instant })
const PASSKEY = members(
  {
    id: text,
    publicKey: text,
    counter: count,
    transports: list(text),
    label: text,
    createdAt: instant,
  },
  { lastUsed: instant },
)

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
        passphraseHash: members({ algorithm: oneOf('scrypt-kdf', 'scrypt'), value: text }),
        hint: text,
        onboardedAt: instant,
        factors: members(
          {},
          {
            mail: members({ enabledAt: instant }),
            totp: TOTP,
            passkeys: list(PASSKEY),
            recovery: RECOVERY,
          },
        ),
        magicLink: boolean,
        passwordDefined: boolean,
        reset: members({ hash: text, expiresAt: instant }),
        keys: members({}, { key: text, publicKey: text, privateKey: text }),
      },
    ),
    tags: 'instance',
    places: { by: 'ids', ids: ['owner'] },
    sealed: [
      {
        path: ['factors', 'totp', 'secret'],
        context: (record) => {
          // As the schema has it: there is a secret only where there is a factor.
          const owner = record.value as { readonly factors: { readonly totp: { id: string } } }
          return { context: totpContext(record.tag, owner.factors.totp.id) }
        },
      },
    ],
    life: 'with the instance; an onboarding or reset token, a recovery code, a time step, a counter is used once; a reset token lives 15 min, one at a time',
    export: 'yes',
    content:
      'passphrase hash with its algorithm, salt and iterations of the browser’s derivation, hint, SHA-256 of at most three onboarding tokens and of one reset token, security stamp, vault keys (opaque), whether mailed links log in, whether anybody but the server knows the passphrase, factors of the second step: since when mail is on, secret and last step of the authenticator app, passkeys with counters, SHA-256 of the recovery codes left',
  },
  {
    kind: 'totp-enrolment',
    version: 1,
    schema: members({ stamp: text, factor: TOTP }, { recovery: RECOVERY }),
    tags: 'instance',
    places: { by: 'ids', ids: ['pending'] },
    sealed: [{ path: ['factor', 'secret'], context: ofEnrolment }],
    life: '10 min, from the last step; until the app is on, once, in one write with the owner’s record; until another enrolment or passphrase change',
    export: SHORT,
    content:
      'security stamp, the authenticator as it will be; once it is proved and alone, digests of the recovery codes that were shown',
  },
]

function ofEnrolment({ tag, value }: FoundRecord): SealContext {
  const { factor } = value as { readonly factor: { readonly id: string } } // As the schema has it.
  return { context: totpContext(tag, factor.id) }
}

import { type FoundRecord, type RecordKind, type SealContext, valueSchemas } from '@svc/platform'
import { OWN_FACTOR, RECOVERY, TOTP } from '../owner/factor-schemas.ts'
import { ownFactorContext } from './own-factors.ts'
import { totpContext } from './totp.ts'

const { members, text } = valueSchemas

const SHORT = { no: 'It is short-lived.' } as const

/** Factors that wait for their first right code. */
export const ENROLMENT_RECORDS: readonly RecordKind[] = [
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
  {
    kind: 'own-enrolment',
    version: 1,
    schema: members({ stamp: text, factor: OWN_FACTOR }, { recovery: RECOVERY }),
    tags: 'instance',
    places: { by: 'ids', ids: ['pending'] },
    sealed: [
      {
        path: ['factor', 'state'],
        context: ({ tag, value }) => {
          const { factor } = value as { readonly factor: { readonly id: string } } // As the schema has it.
          return { context: ownFactorContext(tag, factor.id) }
        },
      },
    ],
    life: '10 min, from the last step; until the factor is on, once, in one write with the owner’s record; until another enrolment or passphrase change',
    export: SHORT,
    content:
      'security stamp, the factor of the host as it will be; once it is proved and alone, digests of the recovery codes that were shown',
  },
]

function ofEnrolment({ tag, value }: FoundRecord): SealContext {
  const { factor } = value as { readonly factor: { readonly id: string } } // As the schema has it.
  return { context: totpContext(tag, factor.id) }
}

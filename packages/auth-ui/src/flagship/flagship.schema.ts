import { bodySchema, type BodySchema, type SchemaFault } from '@svc/platform'
import type { AuthUiError } from '../errors.ts'
import { NEW_PASSPHRASE_SCHEMA, type OnboardingBody } from '../passphrase/passphrase.schema.ts'
import { refuseBody, refuseTexts } from '../web/posted.ts'

const CLIENT = {
  client_id: { type: 'string' },
  client_secret: { type: 'string' },
} as const

/** A text that may be absent, or `null`. */
const MAYBE = { type: ['string', 'null'] } as const

/** Body of `POST /auth/login/flagship`. @see login.md 5.1 */
export const FLAGSHIP_LOGIN_SCHEMA: BodySchema = bodySchema({
  type: ['object', 'null'],
  properties: {
    passphrase: { type: 'string', description: 'the derived login value, base64' },
    ...CLIENT,
    email_verified_code: { ...MAYBE, description: 'stands for the second factor' },
    two_factor_code: { ...MAYBE, description: 'a code of any enrolled factor' },
    two_factor_passcode: { ...MAYBE, description: 'another name of two_factor_code' },
    two_factor_token: { ...MAYBE, description: 'of the answer that asked for it' },
  },
  required: ['passphrase', 'client_id', 'client_secret'],
})

/** Body of `POST /auth/magic_link/flagship`. @see login.md 5.3 */
export const FLAGSHIP_MAGIC_LINK_SCHEMA: BodySchema = bodySchema({
  type: ['object', 'null'],
  properties: {
    magic_code: { type: 'string' },
    ...CLIENT,
    passphrase: { ...MAYBE, description: 'needed while the second factor is on' },
  },
  required: ['magic_code', 'client_id', 'client_secret'],
})

/** What the schema of the onboarding lets through. */
export interface FlagshipOnboardingBody extends OnboardingBody {
  readonly client_id: string
  readonly client_secret: string
}

/** Body of `POST /settings/passphrase/flagship`. @see login.md 5.5 */
export const FLAGSHIP_ONBOARDING_SCHEMA: BodySchema<FlagshipOnboardingBody> = bodySchema({
  type: 'object',
  properties: { ...CLIENT, ...(NEW_PASSPHRASE_SCHEMA['properties'] as object) }, // Written there.
  required: ['client_id', 'client_secret'],
})

/** The client's members are refused as texts, the others as those of the onboarding in a browser. */
export function refuseOnboarding(faults: readonly SchemaFault[]): AuthUiError {
  const [fault] = faults
  const isMember = fault?.instancePath !== '' && !fault?.instancePath.startsWith('/client_')
  return isMember ? refuseBody(faults) : refuseTexts(faults)
}

import { bodySchema, type BodySchema } from '@svc/platform'

/**
 * Body of `POST /auth/clients/:clientId/attestation`. Its members are asked by the handler, within the limit: their
 * answers have one form with those of the verifiers. @see oauth.md 4.2
 */
export const attestationSchema: BodySchema = bodySchema({
  type: 'object',
  properties: {
    attestation: { description: 'mandatory: text as the platform made it, at most 48 KiB' },
    challenge: { description: 'mandatory: the nonce it was made for' },
    issuer: { description: 'android: playintegrity, or SafetyNet' },
    keyId: { description: 'ios: digest of the attested key, standard base64' },
    platform: { description: 'mandatory: `android` or `ios`' },
  },
})

/** Body of `POST /auth/clients/:clientId/challenge`: clients may send one. */
export const challengeSchema: BodySchema = bodySchema({ description: 'nothing of it is read' })

/** Form of `POST /auth/clients/:clientId/flagship`. @see oauth.md 4.6 */
export const flagshipCodeSchema: BodySchema = bodySchema({
  type: 'object',
  properties: {
    code: { type: 'string', description: 'mandatory: six digits, mailed to the owner' },
    token: { type: 'string', description: 'mandatory: of the page that asked for the code' },
  },
})

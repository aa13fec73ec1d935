import { bodySchema, type BodySchema, describedSchema } from '@svc/platform'

/** Body of `POST /auth/clients/:clientId/attestation`. @see oauth.md 4.2 */
export const attestationSchema: BodySchema = describedSchema({
  type: 'object',
  properties: {
    attestation: { type: 'string', maxLength: 49_152, description: 'as the platform made it' },
    challenge: { type: 'string', description: 'the nonce it was made for' },
    issuer: { type: 'string', description: 'android: playintegrity, or SafetyNet' },
    keyId: { type: 'string', description: 'ios: digest of the attested key, standard base64' },
    platform: { type: 'string', enum: ['android', 'ios'] },
  },
  required: ['platform', 'challenge', 'attestation'],
})

/** Body of `POST /auth/clients/:clientId/challenge`: clients may send one. */
export const challengeSchema: BodySchema = bodySchema({ description: 'nothing of it is read' })

/** Form of `POST /auth/clients/:clientId/flagship`. @see oauth.md 4.6 */
export const flagshipCodeSchema: BodySchema = describedSchema({
  type: 'object',
  properties: {
    code: { type: 'string', description: 'six digits, mailed to the owner' },
    token: { type: 'string', description: 'of the page that asked for the code' },
  },
  required: ['code', 'token'],
})

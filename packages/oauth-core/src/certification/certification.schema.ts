/** Body of `POST /auth/clients/:clientId/attestation`, for the documents. @see oauth.md 4.2 */
export const attestationSchema: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: {
    attestation: { type: 'string', maxLength: 49_152, description: 'as the platform made it' },
    challenge: { type: 'string', description: 'the nonce it was made for' },
    issuer: { type: 'string', description: 'android: playintegrity, or SafetyNet' },
    keyId: { type: 'string', description: 'ios: digest of the attested key, standard base64' },
    platform: { type: 'string', enum: ['android', 'ios'] },
  },
  required: ['platform', 'challenge', 'attestation'],
}

/** Body of `POST /auth/clients/:clientId/challenge`: clients may send one. */
export const challengeSchema: Readonly<Record<string, unknown>> = {
  description: 'nothing of it is read',
}

/** Form of `POST /auth/clients/:clientId/flagship`, for the documents. @see oauth.md 4.6 */
export const flagshipCodeSchema: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: {
    code: { type: 'string', description: 'six digits, mailed to the owner' },
    token: { type: 'string', description: 'of the page that asked for the code' },
  },
  required: ['code', 'token'],
}

/** Body of `POST /auth/session_code`; `null` is as good as absent (clients.md 16). @see login.md 5.4 */
export const SESSION_CODE_SCHEMA: Readonly<Record<string, unknown>> = {
  type: ['object', 'null'],
  properties: {
    passphrase: { type: ['string', 'null'], description: 'the derived login value, base64' },
    two_factor_code: {
      type: ['string', 'null'],
      description: 'another name of two_factor_passcode',
    },
    two_factor_passcode: { type: ['string', 'null'], description: 'a code of any enrolled factor' },
    two_factor_token: { type: ['string', 'null'], description: 'of an earlier answer' },
  },
}

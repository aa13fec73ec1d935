/** Body of `POST /auth/session_code`, for the documents. @see login.md 5.4 */
export const SESSION_CODE_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: {
    passphrase: { type: 'string', description: 'the derived login value, base64' },
    two_factor_code: { type: 'string', description: 'another name of two_factor_passcode' },
    two_factor_passcode: { type: 'string', description: 'a code of any enrolled factor' },
    two_factor_token: { type: 'string', description: 'of an earlier answer' },
  },
}

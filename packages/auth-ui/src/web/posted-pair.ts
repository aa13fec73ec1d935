import { AuthUiError } from '../errors.ts'
import type { PostedTexts } from './posted-texts.ts'

/** The second step as a JSON client sends it. */
export interface PostedPair {
  readonly token: string
  /** `''` when absent: wrong like any other. */
  readonly passcode: string
}

/**
 * The token with its code, under either of its names; undefined without a token.
 * @throws AuthUiError `invalid_parameter` when the two names say different things
 * @see login.md 0 number 9
 */
export function readPostedPair(posted: PostedTexts): PostedPair | undefined {
  const token = posted.get('two_factor_token') ?? ''
  const passcode = posted.get('two_factor_passcode')
  const code = posted.get('two_factor_code')
  if (passcode !== undefined && code !== undefined && passcode !== code) {
    const description = 'two_factor_passcode and two_factor_code differ'
    throw new AuthUiError('invalid_parameter', { description })
  }
  return token === '' ? undefined : { token, passcode: passcode ?? code ?? '' }
}

import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { PassphraseCheck } from '../login/passphrase-check.ts'
import type { Owner } from '../owner/owner.ts'
import { isWithinLimit, type RateLimits } from '../rate-limits.ts'
import type { MagicCode, MagicCodes } from './magic-codes.ts'

/** Judges codes and the passphrases that come with them, within their limits. */
export interface MagicCodeCheck {
  /** Uses nothing up; wrong codes are counted. @throws AuthUiError `invalid_magic_code` 401, `rate_limited` */
  demand(ctx: RouteContext, owner: Owner, code: string): Promise<MagicCode>
  /**
   * The passphrase beside a good code; after five wrong ones the code is dead.
   * @throws AuthUiError `invalid_passphrase`, `invalid_magic_code`, `rate_limited`, `busy`
   */
  checkPassphrase(ctx: RouteContext, owner: Owner, code: string, passphrase: string): Promise<void>
  /** Uses the code up. @throws AuthUiError `invalid_magic_code` 401 when somebody else did */
  take(ctx: RouteContext, owner: Owner, code: string): Promise<void>
}

/** What {@link createMagicCodeCheck} needs. */
export interface MagicCodeCheckOptions {
  readonly magicCodes: MagicCodes
  readonly limits: RateLimits
  readonly passphrases: PassphraseCheck
  readonly clientAddress: (ctx: RouteContext) => string
}

const TRIES = 'magic-code-passphrase'

/** Counts before it looks, so that parallel guesses cannot pass together. */
export function createMagicCodeCheck(options: MagicCodeCheckOptions): MagicCodeCheck {
  const { magicCodes, limits, passphrases } = options

  async function end(ctx: RouteContext, owner: Owner, code: string): Promise<void> {
    await magicCodes.take(ctx.state.instance, owner, code)
  }

  /** Whether one more wrong passphrase would be too many. */
  async function isUsedUp(ctx: RouteContext, code: string): Promise<boolean> {
    const { instance } = ctx.state
    const hasTriesLeft = await isWithinLimit(limits, instance, TRIES, code)
    await limits.release(instance, TRIES, code)
    return !hasTriesLeft
  }

  return {
    async demand(ctx, owner, code) {
      const { instance } = ctx.state
      const address = options.clientAddress(ctx)
      await limits.hit(instance, 'magic-link', address)
      const found = await magicCodes.find(instance, owner, code)
      if (found === undefined) throw new AuthUiError('invalid_magic_code')
      await limits.release(instance, 'magic-link', address)
      return found
    },

    async checkPassphrase(ctx, owner, code, passphrase) {
      const { instance } = ctx.state
      if (!(await isWithinLimit(limits, instance, TRIES, code))) {
        await end(ctx, owner, code)
        throw new AuthUiError('invalid_magic_code')
      }
      try {
        await passphrases.check(ctx, owner, passphrase)
      } catch (error) {
        const isWrong = AuthUiError.is(error, 'invalid_passphrase')
        if (!isWrong) await limits.release(instance, TRIES, code)
        else if (await isUsedUp(ctx, code)) await end(ctx, owner, code)
        throw error
      }
      await limits.release(instance, TRIES, code)
    },

    async take(ctx, owner, code) {
      if (await magicCodes.take(ctx.state.instance, owner, code)) return
      throw new AuthUiError('invalid_magic_code')
    },
  }
}

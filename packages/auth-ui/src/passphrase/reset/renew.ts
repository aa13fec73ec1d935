import { isHttpError, type Logger, prefersJson, type RouteContext } from '@svc/platform'
import type { Store } from '@svc/store'
import type { Csrf } from '../../web/csrf.ts'
import { AuthUiError } from '../../errors.ts'
import { answerRedirect } from '../../web/answer.ts'
import type { KnownDevices } from '../../session/known-device.ts'
import type { Owner } from '../../owner/owner.ts'
import type { OwnerStore } from '../../owner/owner-store.ts'
import type { FormProblem } from '../../pages/page-models.ts'
import type { PageRenderer } from '../../pages/page-renderer.ts'
import type { RateLimits } from '../../rate-limits.ts'
import type { DescribeRequest } from '../../web/request-facts.ts'
import type { ChangePassphrase } from '../change-passphrase.ts'
import { DEFAULT_ITERATIONS } from '../derive.ts'
import { passphraseProblem } from '../form-problem.ts'
import { readNewPassphrase } from '../new-passphrase.ts'
import type { PasswordHasher } from '../password-hash.ts'
import { acceptsResetToken } from './reset-token.ts'
import type { RenewedNotice } from '../../login/renewed-notice.ts'
import type { FindSettings } from '../../web/settings-link.ts'

/** What {@link createRenew} needs. */
export interface RenewOptions {
  readonly store: Store
  readonly owners: OwnerStore
  readonly devices: KnownDevices
  readonly changePassphrase: ChangePassphrase
  readonly hasher: PasswordHasher
  readonly allowRaw: boolean
  readonly limits: RateLimits
  readonly clientAddress: (ctx: RouteContext) => string
  readonly describeRequest: DescribeRequest
  readonly pages: PageRenderer
  readonly csrf: Csrf
  readonly findSettings: FindSettings
  readonly renewedNotice: RenewedNotice
  readonly clock: { now(): number }
  readonly log: Logger
}

/** Choosing a new passphrase with the mailed link. */
export interface RenewHandlers {
  /** `GET /auth/passphrase_renew` */
  show(ctx: RouteContext): Promise<void>
  /** `POST /auth/passphrase_renew` */
  submit(ctx: RouteContext): Promise<void>
}

/** What the form keeps when it is shown again. */
interface Kept {
  readonly token: string
  readonly isFromSettings: boolean
  readonly hint: string
}

/** No session is opened: the second factor still applies to the log-in that follows. @see login.md 5.5 */
export function createRenew(options: RenewOptions): RenewHandlers {
  const { owners, changePassphrase, hasher, allowRaw, limits, clientAddress } = options
  const { describeRequest, pages, csrf, findSettings, clock, store, devices } = options

  /** @throws AuthUiError `invalid_token`, the same whatever is wrong; `rate_limited` */
  async function ownerOf(ctx: RouteContext, token: string): Promise<Owner> {
    const { instance } = ctx.state
    const address = clientAddress(ctx)
    // Reserved before the check, so that parallel guesses cannot pass together.
    await limits.hit(instance, 'reset-guess', address)
    const owner = (await owners.get(instance.id))?.owner
    const isRight = acceptsResetToken(owner, token, clock.now())
    if (owner === undefined || !isRight) throw new AuthUiError('invalid_token')
    await limits.release(instance, 'reset-guess', address)
    return owner
  }

  async function showForm(
    ctx: RouteContext,
    owner: Owner,
    { token, isFromSettings, hint }: Kept,
    problem?: FormProblem,
  ): Promise<void> {
    const settings = isFromSettings ? await findSettings(ctx.state.instance) : undefined
    await pages.renewPage(ctx, {
      csrfToken: await csrf.token(ctx),
      formActionSources: settings === undefined ? [] : [settings.origin],
      salt: owner.salt,
      iterations: DEFAULT_ITERATIONS,
      token,
      from: isFromSettings ? 'settings' : '',
      losesVault: owner.keys !== undefined,
      hint,
      ...(problem === undefined ? {} : { problem }),
    })
  }

  /** OPEN(0130): who got here reads the owner's mails. The log-in that follows is not refused for failures of strangers. */
  async function makeKnown(ctx: RouteContext, owner: Owner): Promise<void> {
    try {
      const device = await devices.remember(ctx, owner)
      await store.write([device.change])
      device.setCookie()
    } catch (cause) {
      // The passphrase is changed already.
      options.log.warn('passphrase.browser_unknown', { cause: String(cause) })
    }
  }

  return {
    async show(ctx) {
      const { query } = ctx.state
      const token = query.text('token')
      const owner = await ownerOf(ctx, token)
      const isFromSettings = query.text('from') === 'settings'
      ctx.status = 200
      await showForm(ctx, owner, { token, isFromSettings, hint: '' })
    },
    async submit(ctx) {
      const { instance, form } = ctx.state
      const token = form.text('passphrase_reset_token')
      const isFromSettings = form.text('from') === 'settings'
      const owner = await ownerOf(ctx, token)
      let changed: Owner
      try {
        const fields = {
          passphrase: form.text('passphrase'),
          hint: form.text('hint'),
          iterations: form.text('iterations'),
          key: form.text('key'),
          publicKey: form.text('public_key'),
          privateKey: form.text('private_key'),
        }
        changed = await changePassphrase(instance, {
          how: 'reset',
          passphrase: await readNewPassphrase(fields, owner.salt, { hasher, allowRaw }),
          keepsHint: false,
          demand: (latest) => {
            if (!acceptsResetToken(latest, token, clock.now())) {
              throw new AuthUiError('invalid_token')
            }
          },
          facts: await describeRequest(ctx),
        })
      } catch (error) {
        const problem = passphraseProblem(error)
        if (problem === undefined || prefersJson(ctx)) throw error
        if (isHttpError(error)) {
          ctx.status = error.status
          ctx.set({ ...error.headers })
        }
        // A hint that is the passphrase does not go into a page.
        const hint = problem.code === 'invalid_hint' ? '' : form.text('hint')
        return showForm(ctx, owner, { token, isFromSettings, hint }, problem)
      }
      await makeKnown(ctx, changed)
      await options.renewedNotice.leave(ctx)
      const settings = isFromSettings ? await findSettings(instance) : undefined
      answerRedirect(ctx, settings?.href ?? `${instance.origin}/auth/login`)
    },
  }
}

import type { Logger, RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { Background } from '../background.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { AuthUiServices } from '../services.ts'
import type { HostHooks, Mailer } from '../ports.ts'
import { isWithinLimit, type RateLimits } from '../rate-limits.ts'
import type { SessionCarrier } from '../session/session-carrier.ts'
import type { SecurityUrl } from '../web/security-url.ts'
import { tellHost } from '../tell-host.ts'
import type { KnownDevices } from '../session/known-device.ts'

const MAX_PASSPHRASE_BYTES = 1024

/** Checks a login value on behalf of a request, within the limits of all paths together (login.md 4.7). */
export interface PassphraseCheck {
  /** @throws AuthUiError `invalid_passphrase`, `rate_limited`, `busy` */
  check(ctx: RouteContext, owner: Owner, passphrase: string): Promise<void>
}

/** What {@link createPassphraseCheck} needs. */
export interface PassphraseCheckOptions {
  readonly hasher: AuthUiServices['hasher']
  readonly owners: OwnerStore
  readonly limits: RateLimits
  readonly devices: KnownDevices
  readonly carrier: SessionCarrier
  readonly clientAddress: (ctx: RouteContext) => string
  readonly securityUrl: SecurityUrl
  readonly hooks: HostHooks
  readonly mailer: Mailer
  readonly background: Background
  readonly clock: { now(): number }
  readonly log: Logger
}

/** What was counted before the check, and is taken back unless the passphrase was wrong. */
interface Reservation {
  release(): Promise<void>
  succeed(): Promise<void>
}

/** Counts before it checks, so that parallel guesses cannot pass together. */
export function createPassphraseCheck(options: PassphraseCheckOptions): PassphraseCheck {
  const { hasher, owners, limits, devices, carrier, hooks, mailer, background, clock, log } =
    options
  const { clientAddress, securityUrl } = options

  async function reserve(ctx: RouteContext, owner: Owner): Promise<Reservation> {
    const { instance } = ctx.state
    // The cookie of known browsers is not sent to the settings: there the session shows that it is one.
    const known = (await devices.find(ctx, owner)) ?? (await carrier.current(ctx))?.id
    if (known !== undefined) {
      await limits.hit(instance, 'known-device', known)
      const release = () => limits.release(instance, 'known-device', known)
      return { release, succeed: release }
    }
    const address = clientAddress(ctx)
    await limits.hit(instance, 'auth-ip', address)
    const releaseAddress = () => limits.release(instance, 'auth-ip', address)
    try {
      await limits.hit(instance, 'auth')
    } catch (error) {
      await releaseAddress()
      if ((error as { code?: unknown }).code === 'rate_limited') mailThrottled(ctx, address)
      throw error
    }
    const releaseInstance = () => limits.release(instance, 'auth')
    return {
      release: () => Promise.all([releaseAddress(), releaseInstance()]).then(() => {}),
      succeed: () =>
        Promise.all([limits.reset(instance, 'auth-ip', address), releaseInstance()]).then(() => {}),
    }
  }

  function mailThrottled(ctx: RouteContext, address: string): void {
    const { instance } = ctx.state
    background.run('mail.login_throttled', async () => {
      if (!(await isWithinLimit(limits, instance, 'login-throttled-mail'))) return
      await mailer.send(instance, {
        template: 'login_throttled',
        variables: { time: clock.now(), address, url: await securityUrl(instance) },
      })
    })
  }

  async function checkReserved(
    owner: Owner,
    passphrase: string,
    reservation: Reservation,
  ): Promise<{ isOutdated: boolean }> {
    const isTooLong = Buffer.byteLength(passphrase) > MAX_PASSPHRASE_BYTES
    let found: { isRight: boolean; isOutdated: boolean }
    try {
      found = await hasher.verify(owner.passphraseHash, isTooLong ? '' : passphrase)
    } catch (error) {
      // Nothing was checked: nothing is counted.
      await reservation.release()
      throw error
    }
    if (!found.isRight) throw new AuthUiError('invalid_passphrase')
    await reservation.succeed()
    return found
  }

  function upgradeHash(ctx: RouteContext, owner: Owner, passphrase: string): Promise<void> {
    return hasher
      .hash(passphrase)
      .then((passphraseHash) =>
        owners.update(ctx.state.instance.id, (latest) =>
          // Another passphrase was chosen meanwhile: it keeps its own hash.
          latest.securityStamp === owner.securityStamp ? { ...latest, passphraseHash } : undefined,
        ),
      )
      .then(
        () => log.info('passphrase.hash_upgraded', { instance: ctx.state.instance.domain }),
        (error: unknown) => log.warn('passphrase.upgrade_failed', { cause: String(error) }),
      )
  }

  return {
    async check(ctx, owner, passphrase) {
      const { instance } = ctx.state
      try {
        const reservation = await reserve(ctx, owner)
        const { isOutdated } = await checkReserved(owner, passphrase, reservation)
        if (isOutdated) await upgradeHash(ctx, owner, passphrase)
      } catch (error) {
        const { code } = error as { code?: string }
        if (code === 'invalid_passphrase' || code === 'rate_limited') {
          const address = clientAddress(ctx)
          log.info('login.failed', { instance: instance.domain, code, address })
          const userAgent = ctx.get('User-Agent')
          await tellHost(log, 'onLoginFailed', () =>
            hooks.onLoginFailed?.({ instance, address, userAgent, code }),
          )
        }
        throw error
      }
    },
  }
}

import { noteRefused } from '../web/activity.ts'
import { settingsUrl } from '../web/settings-app.ts'
import { findKnownDevice } from '../session/known-device.ts'
import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { importPending, type ImportedOwner, isImportPending } from './pending-import.ts'
import type { Owner } from '../owner/owner.ts'
import type { StoredHash } from '../owner/stored-hash.ts'
import type { AuthUiServices } from '../services.ts'
import { isWithinLimit } from '../rate-limits.ts'
import { notifyHost } from '../background.ts'

const MAX_PASSPHRASE_BYTES = 1024

/** What was counted before the check, and is taken back unless the passphrase was wrong. */
interface Reservation {
  release(): Promise<void>
  succeed(): Promise<void>
}

/**
 * Checks a login value on behalf of a request, within the limits of all paths together (login.md 4.7). It counts
 * before it checks, so that parallel guesses cannot pass together.
 * @param raw - the passphrase itself, where it may be taken from the request: an owner whose hash was imported
 * @throws AuthUiError `invalid_passphrase`, `rate_limited`, `busy`, `passphrase_import_pending`
 */
export async function checkPassphrase(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  passphrase: string,
  raw?: string,
): Promise<void> {
  const { instance } = ctx.state
  if (isImportPending(owner) && raw === undefined) throw importPending(instance)
  try {
    if (isImportPending(owner)) return await checkImported(services, ctx, owner, raw ?? '')
    const reservation = await reserve(services, ctx, owner)
    const { isOutdated } = await checkReserved(services, owner, passphrase, reservation)
    if (isOutdated) await upgradeHash(services, ctx, owner, passphrase)
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'invalid_passphrase' || code === 'rate_limited') {
      const address = services.oauth.clientAddress(ctx)
      services.log.info('login.failed', { domain: instance.domain, code, address })
      const userAgent = ctx.get('User-Agent')
      const event = code === 'rate_limited' ? 'login.throttled' : 'login.failed'
      await noteRefused(services, ctx, { event, reason: code })
      await notifyHost(services.log, 'onLoginFailed', () =>
        services.hooks.onLoginFailed?.({ instance, address, userAgent, code }),
      )
    }
    throw error
  }
}

async function reserve(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
): Promise<Reservation> {
  const { instance } = ctx.state
  // The cookie of known browsers is not sent to the settings: there the session shows that it is one.
  const session = await services.sessionMiddleware.current(ctx)
  const known =
    (await findKnownDevice(services, ctx, owner)) ??
    (session?.isElsewhere === true ? undefined : session?.id)
  if (known !== undefined) {
    await services.limits.hit(instance, 'known-device', known)
    const release = () => services.limits.release(instance, 'known-device', known)
    return { release, succeed: release }
  }
  const address = services.oauth.clientAddress(ctx)
  await services.limits.hit(instance, 'auth-ip', address)
  const releaseAddress = () => services.limits.release(instance, 'auth-ip', address)
  try {
    await services.limits.hit(instance, 'auth')
  } catch (error) {
    await releaseAddress()
    if ((error as { code?: unknown }).code === 'rate_limited') mailThrottled(services, ctx, address)
    throw error
  }
  const releaseInstance = () => services.limits.release(instance, 'auth')
  return {
    release: () => Promise.all([releaseAddress(), releaseInstance()]).then(() => {}),
    succeed: () =>
      Promise.all([services.limits.reset(instance, 'auth-ip', address), releaseInstance()]).then(
        () => {},
      ),
  }
}

function mailThrottled(services: AuthUiServices, ctx: RouteContext, address: string): void {
  const { instance } = ctx.state
  services.background.run('mail.login_throttled', async () => {
    if (!(await isWithinLimit(services.limits, instance, 'login-throttled-mail'))) return
    await services.mailer.send(instance, {
      template: 'login_throttled',
      variables: {
        time: services.clock.now(),
        address,
        url: await settingsUrl(services, instance, 'overview'),
      },
    })
  })
}

async function checkReserved(
  services: AuthUiServices,
  owner: Owner,
  passphrase: string,
  reservation: Reservation,
): Promise<{ isOutdated: boolean }> {
  const isTooLong = Buffer.byteLength(passphrase) > MAX_PASSPHRASE_BYTES
  let found: { isRight: boolean; isOutdated: boolean }
  try {
    found = await services.hasher.verify(owner.passphraseHash, isTooLong ? '' : passphrase)
  } catch (error) {
    // Nothing was checked: nothing is counted.
    await reservation.release()
    throw error
  }
  if (!found.isRight) throw new AuthUiError('invalid_passphrase')
  await reservation.succeed()
  return found
}

/** The first login of an owner whose imported hash is over the passphrase itself: its own hash takes its place. */
async function checkImported(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: ImportedOwner,
  raw: string,
): Promise<void> {
  const { instance } = ctx.state
  const reservation = await reserve(services, ctx, owner)
  const isTooLong = Buffer.byteLength(raw) > MAX_PASSPHRASE_BYTES
  let found: { readonly isRight: boolean; readonly hash: StoredHash }
  try {
    found = await services.hasher.verifyImported(owner, isTooLong ? '' : raw)
  } catch (error) {
    await reservation.release()
    throw error
  }
  if (!found.isRight) throw new AuthUiError('invalid_passphrase')
  await reservation.succeed()
  const { value } = owner.passphraseHash
  // Of parallel logins one ends the state; whoever chose another passphrase meanwhile keeps its hash.
  const written = await services.owners.update(instance.id, (latest) =>
    isImportPending(latest) && latest.passphraseHash.value === value
      ? { ...latest, passphraseHash: found.hash }
      : undefined,
  )
  if (written !== undefined) {
    services.log.info('passphrase.hash_upgraded', { domain: instance.domain })
  }
}

function upgradeHash(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  passphrase: string,
): Promise<void> {
  return services.hasher
    .hash(passphrase)
    .then((passphraseHash) =>
      services.owners.update(ctx.state.instance.id, (latest) =>
        // Another passphrase was chosen meanwhile: it keeps its own hash.
        latest.securityStamp === owner.securityStamp ? { ...latest, passphraseHash } : undefined,
      ),
    )
    .then(
      () => services.log.info('passphrase.hash_upgraded', { domain: ctx.state.instance.domain }),
      (error: unknown) => services.log.warn('passphrase.upgrade_failed', { cause: String(error) }),
    )
}

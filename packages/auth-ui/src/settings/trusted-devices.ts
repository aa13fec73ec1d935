import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { TrustedDevices } from '../factors/trusted-devices.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import { answerResources, isoTime } from './json-api.ts'
import { ownerOf } from './settings-owner.ts'

/** What {@link createTrustedDeviceSettings} needs. */
export interface TrustedDeviceSettingsOptions {
  readonly owners: OwnerStore
  readonly trustedDevices: TrustedDevices
  readonly namespace: string
}

export interface TrustedDeviceSettings {
  /** `GET /settings/trusted_devices` */
  list(ctx: RouteContext): Promise<void>
  /** `DELETE /settings/trusted_devices/:id` */
  remove(ctx: RouteContext): Promise<void>
}

/** Browsers that skip the second factor. @see login.md 7 */
export function createTrustedDeviceSettings(
  options: TrustedDeviceSettingsOptions,
): TrustedDeviceSettings {
  const { owners, trustedDevices, namespace } = options
  return {
    async list(ctx) {
      const devices = await trustedDevices.list(ctx.state.instance, await ownerOf(ctx, owners))
      answerResources(
        ctx,
        devices.map(({ id, label, createdAt, lastUsed }) => ({
          type: `${namespace}.settings.trusted_devices`,
          id,
          attributes: { label, created_at: isoTime(createdAt), last_used: isoTime(lastUsed) },
        })),
      )
    },
    async remove(ctx) {
      const id = String((ctx as { params?: { id?: unknown } }).params?.id)
      if (!(await trustedDevices.remove(ctx.state.instance, id))) {
        throw new AuthUiError('not_found')
      }
      ctx.status = 204
    },
  }
}

import type { AppManifest } from '@svc/oauth-core'
import type { Store } from '@svc/store'
import type { FakeClock } from '@svc/testkit'
import { registerClient } from './manage-client.ts'
import { recordedLog } from './recorded-log.ts'
import { openOAuth } from './test-oauth.ts'

export interface DeviceOptions {
  readonly platform?: string
  readonly token: string
  /** @defaultValue `github.com/example/client` */
  readonly softwareId?: string
  readonly flagship?: boolean
  /** @defaultValue `true` */
  readonly isAllowed?: boolean
}

export type OwnerDevices = Awaited<ReturnType<typeof openOwnerDevices>>

const DRIVE: AppManifest = { slug: 'drive', name: 'My Drive', permissions: {}, routes: {} }
const SCOPE = 'io.svc.files:GET'

/** An instance whose owner registers devices, over HTTP as they do. */
export async function openOwnerDevices(store: Store, clock: FakeClock) {
  const installed = new Map([[DRIVE.slug, DRIVE]])
  const { lines, log } = recordedLog()
  const limits = { 'oauth-client': { limit: 1000, windowMs: 3_600_000 } }
  const oauth = openOAuth({ store, clock, log, installed, limits })
  const instance = await oauth.instances.create({ domain: 'alice.example.com', locale: 'fr' })
  return {
    oauth,
    instance,
    installed,
    lines,
    /** Registers a device, a second after the last; its client's id. */
    async add(options: DeviceOptions): Promise<string> {
      const {
        platform = 'android',
        token,
        softwareId,
        flagship = false,
        isAllowed = true,
      } = options
      clock.advance(1000)
      const id = await registerClient(oauth, instance, {
        ...(softwareId !== undefined && { software_id: softwareId }),
        notification_platform: platform,
        notification_device_token: token,
      })
      if (flagship) await oauth.clients.setFlagship(instance, id, true)
      if (!isAllowed) return id
      const linked = softwareId?.startsWith('registry://') === true
      const scope = linked ? `@io.svc.apps/${softwareId.split('/')[2]}` : SCOPE
      await oauth.clients.issueTokens(instance, id, scope)
      return id
    },
    /** Tokens that would be notified, newest first. */
    async tokens() {
      return (await oauth.clients.listNotifiable(instance)).map(({ token }) => token)
    },
    close: () => oauth.close(),
  }
}

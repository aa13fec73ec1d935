import type { Instance } from '@svc/platform'
import { BOUNDED_BYTES } from '../quota/counted-kinds.ts'
import { bytesOf, type DiskQuota } from '../quota/disk-quota.ts'
import type { AdminRouting } from './owner-routes.ts'

/** What an instance keeps. With `POST` it is counted anew first. */
export function addUsageRoutes(
  { route, instanceOf }: Pick<AdminRouting, 'instanceOf' | 'route'>,
  quota: DiskQuota,
): void {
  async function describe(instance: Instance): Promise<Record<string, unknown>> {
    const usage = await quota.usage(instance)
    return { ...(await quota.use(instance)), bounded: BOUNDED_BYTES, kinds: usage }
  }

  route('get', '/instances/:domain/usage', 'instances:read', async (ctx) => {
    ctx.body = await describe(await instanceOf(ctx))
  })

  route('post', '/instances/:domain/usage', 'instances:update', async (ctx) => {
    const instance = await instanceOf(ctx)
    const before = bytesOf(await quota.usage(instance))
    const after = bytesOf(await quota.recount(instance))
    ctx.body = { ...(await describe(instance)), before, after }
  })
}

/** The settings of an update; a quota of `null` is that of everybody again. */
export function changedSettings(
  settings: Instance['settings'],
  { oauthClientsMax, diskQuota }: Readonly<Record<'diskQuota' | 'oauthClientsMax', unknown>>,
): Instance['settings'] {
  const { diskQuota: before, ...others } = settings
  const quota = diskQuota === undefined ? before : diskQuota
  return {
    ...others,
    ...(typeof oauthClientsMax === 'number' && { oauthClientsMax }),
    ...(typeof quota === 'number' && { diskQuota: quota }),
  }
}

import type { HostServices } from '../services.ts'
import { PRODUCT_VERSION } from '../processes/product-version.ts'
import type { AdminRouting } from './owner-routes.ts'

/** What `svc status` shows. */
export function addStatusRoutes(
  { route }: Pick<AdminRouting, 'route'>,
  { status }: Pick<HostServices, 'status'>,
): void {
  route('get', '/status', 'server:read', async (ctx) => {
    ctx.body = { version: PRODUCT_VERSION, ...(await status.read()) }
  })
}

import type { Route } from '@svc/platform'
import { exportRoute } from './endpoints/export.ts'
import { headRoute, verifyRoute } from './endpoints/head.ts'
import { listRoute } from './endpoints/list.ts'
import type { ActivityServices } from './services.ts'

/** The package's endpoints, in the order of their paths. */
export const activityRoutes: readonly Route<ActivityServices>[] = [
  listRoute,
  exportRoute,
  headRoute,
  verifyRoute,
]

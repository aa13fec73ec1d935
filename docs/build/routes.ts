import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { RouteRow } from '../../packages/oauth-core/src/http/route.ts'
import { ERRORS as AUTH_UI_ERRORS } from '../../packages/auth-ui/src/errors.ts'
import { ERRORS as OAUTH_ERRORS } from '../../packages/oauth-core/src/errors.ts'
import { ROOT } from './document.ts'
import type { ErrorGroup } from './errors.ts'

/** The endpoints of one package. */
export interface RouteGroup {
  readonly name: string
  readonly title: string
  readonly rows: readonly RouteRow[]
}

/** Every package's error table. */
export const errorGroups: readonly ErrorGroup[] = [
  { name: '@svc/oauth-core', errors: OAUTH_ERRORS },
  { name: '@svc/auth-ui', errors: AUTH_UI_ERRORS },
]

/** The rows of all endpoints, as the assembled packages have them. */
export async function routeGroups(): Promise<RouteGroup[]> {
  return []
}

/** Version of the packages: they are versioned together. */
export function version(): string {
  const manifest = readFileSync(path.join(ROOT, 'packages/oauth-core/package.json'), 'utf8')
  // The workspace's own manifest: it has a version.
  return (JSON.parse(manifest) as { version: string }).version
}

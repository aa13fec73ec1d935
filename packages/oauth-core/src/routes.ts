import type { RouteRow } from '@svc/platform'
import { type AuthorizeDependencies, authorizeRows } from './authorize/authorize.ts'
import {
  type CertificationDependencies,
  certificationRows,
} from './certification/certification-rows.ts'
import { type SharingDependencies, sharingRows } from './authorize/sharing.ts'
import { type ManageDependencies, manageRows } from './registration/manage.ts'
import { type RegisterDependencies, registerRows } from './registration/register.ts'
import { type TokenRowsDependencies, tokenRows } from './access/token-rows.ts'

/** The package's endpoints: its whole URL space. */
export function oauthRows(
  dependencies: AuthorizeDependencies &
    SharingDependencies &
    CertificationDependencies &
    ManageDependencies &
    RegisterDependencies &
    Omit<TokenRowsDependencies, 'rows'>,
): readonly RouteRow[] {
  const rows: readonly RouteRow[] = [
    ...registerRows(dependencies),
    ...manageRows(dependencies),
    ...certificationRows(dependencies),
    ...authorizeRows(dependencies),
    ...sharingRows(dependencies),
    ...tokenRows({ ...dependencies, rows: () => rows }),
  ]
  return rows
}

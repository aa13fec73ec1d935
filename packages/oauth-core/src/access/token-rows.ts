import type { Engine } from '../engine/engine.ts'
import type { Keyring, RouteRow } from '@svc/platform'
import { type KonnectorTokenDependencies, konnectorTokenRow } from './konnector-endpoint.ts'
import { metadataRow } from './server-metadata.ts'
import { revokeRow } from './revoke-endpoint.ts'
import { tokenRow } from './token-endpoint.ts'

export interface TokenRowsDependencies extends KonnectorTokenDependencies {
  readonly engine: Engine
  readonly keyring: Keyring
  readonly clock: { now(): number }
  /** All rows of the interface, these included: what the metadata document names. */
  readonly rows: () => readonly RouteRow[]
}

/** The endpoints about tokens. */
export function tokenRows(dependencies: TokenRowsDependencies): readonly RouteRow[] {
  return [
    tokenRow(dependencies.engine),
    revokeRow(dependencies),
    konnectorTokenRow(dependencies),
    metadataRow(dependencies.rows),
  ]
}

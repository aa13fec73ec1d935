import { ACTIVITY_RECORDS } from '@svc/activity'
import { AUTH_UI_RECORDS } from '@svc/auth-ui'
import { connectorsRecords } from '@svc/connectors'
import { NOTIFY_RECORDS } from '@svc/notify'
import { OAUTH_RECORDS } from '@svc/oauth-core'
import { PLATFORM_RECORDS, RecordRegistry } from '@svc/platform'
import { hostRecords } from '../records.ts'

/** Every kind of record that this product keeps, for commands that work without a server. */
export function allKinds(namespace: string): RecordRegistry {
  const registry = new RecordRegistry()
  registry.declare(PLATFORM_RECORDS)
  registry.declare(OAUTH_RECORDS)
  registry.declare(AUTH_UI_RECORDS)
  registry.declare(NOTIFY_RECORDS)
  registry.declare(ACTIVITY_RECORDS)
  registry.declare(connectorsRecords(namespace))
  registry.declare(hostRecords(namespace))
  return registry
}

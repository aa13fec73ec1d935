import { matchesGlob } from 'node:path'

/**
 * Test files whose answers are recorded: those that ask every route for every status that it declares, what the host
 * adds, and the contract against the host.
 */
export const RECORDED: readonly string[] = [
  'packages/activity/test/http/endpoints.test.ts',
  'packages/auth-ui/test/http/statuses.test.ts',
  'packages/connectors/test/http/statuses.test.ts',
  'packages/mcp/test/http/{permissions,transport}.test.ts',
  'packages/notify/test/http/rules-statuses.test.ts',
  'packages/notify/test/http/mobile/push-key.test.ts',
  'packages/oauth-core/test/http/{everything,routes}.test.ts',
  'packages/realtime/test/http/post-event.test.ts',
  'examples/host/test/http/{account-admin,admin,admin-tokens,backup,cli,contract,data,dev-mails}.test.ts',
  'examples/host/test/http/{dev-outbox,disk-quota,key-rotation-commands,konnector-run}.test.ts',
  'examples/host/test/http/{notifications-admin,probe,routes,shares,sharing-limits,status}.test.ts',
  'examples/host/test/http/{transfer-commands,transfer-refusals}.test.ts',
]

/** @param file - from the root of the repository */
export function isRecorded(file: string): boolean {
  return RECORDED.some((pattern) => matchesGlob(file, pattern))
}

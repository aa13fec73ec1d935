import type { OAuth } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import { manageClient } from './manage-client.ts'

/** Registers a client over HTTP, on a server of its own; answers its id. */
export async function registerClient(
  oauth: OAuth,
  instance: Instance,
  metadata: Readonly<Record<string, unknown>>,
): Promise<string> {
  return (await manageClient(oauth, instance, metadata)).id
}

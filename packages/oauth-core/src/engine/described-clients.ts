import type { Instance, Parameters } from '@svc/platform'
import type { Client } from '../clients/client.ts'

/** What the token endpoint asks about clients that documents describe. @see assistants.md 2.8 to 2.12 */
export interface DescribedClients {
  /** Whether documents of its host may describe clients; true of a client that no document describes. */
  isAllowed(client: Client): boolean
  /** Looks at the document when it is time to. Resolves within a second, whatever becomes of it. */
  beforeRefresh(instance: Instance, clientId: string): Promise<void>
  /** Whether the request proves the client: by an assertion that was not used before, where it has keys. */
  isProved(instance: Instance, client: Client, form: Pick<Parameters, 'text'>): Promise<boolean>
}

import type { Instance, Parameters } from '@svc/platform'
import type { FoundDocument } from '../clients/client-document.ts'
import type { Client } from '../clients/client.ts'

/** How a request proves its client: by an assertion that was not used before, or by nothing where it need not. */
export type ClientProof = 'key' | 'none' | 'wrong'

/** What endpoints ask about clients that documents describe. @see assistants.md 2.2 to 2.12 */
export interface DescribedClients {
  /** Whether documents of the host may describe clients. */
  isAllowedHost(host: string): boolean
  /**
   * The document at an address, fetched unless it is known and fresh: for an owner who is logged in, and nobody else.
   * @throws DocumentError, OAuthError 429
   */
  find(instance: Instance, url: string): Promise<FoundDocument>
  /** Whether documents of its host may describe clients; true of a client that no document describes. */
  isAllowed(client: Client): boolean
  /** Looks at the document when it is time to. Resolves within a second, whatever becomes of it. */
  beforeRefresh(instance: Instance, clientId: string): Promise<void>
  proofOf(instance: Instance, client: Client, form: Pick<Parameters, 'text'>): Promise<ClientProof>
}

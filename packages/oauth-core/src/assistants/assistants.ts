import type { Instance, Instances } from '@svc/platform'
import type { Change } from '@svc/store'
import { checkGivenDocument, type DocumentReport } from '../client-documents/check-document.ts'
import { DocumentCopies } from '../client-documents/document-copies.ts'
import { hostOfClientId } from '../client-documents/identifier.ts'
import { type ActivitySource, BY_SERVER } from '../registration/activity-source.ts'
import type { OAuthServices } from '../services.ts'
import type { AssistantCall } from './call.ts'
import {
  allowAssistants,
  type Assistant,
  endAssistant,
  endAssistants,
  endAssistantsEverywhere,
  listAssistants,
} from './end-assistants.ts'
import { mayConnect } from './preferences.ts'
import { type CallPage, countSince, listCalls } from './read-calls.ts'

/** A document of a client that the operator keeps a copy of. */
export interface KeptDocument {
  readonly url: string
  /** What the client calls itself. */
  readonly name: string
  /** When it was given, or fetched last. Milliseconds since the epoch. */
  readonly fetchedAt: number
}

/** Clients of resources, and what they did. */
export interface Assistants {
  /**
   * Notes a call of a tool. Durable when it resolves; to be awaited before the answer leaves, and before the call has an
   * effect when it cannot be undone.
   * @throws StoreUnavailableError when it cannot be written: the call is then refused
   */
  recordCall(call: AssistantCall): Promise<void>
  /**
   * The changes that note a call which writes: they belong into the very write, so that nothing is written without its
   * entry. A document without a revision gets that of the write.
   */
  callChanges(call: AssistantCall): Promise<readonly Change[]>
  /**
   * What a client did, newest first, also when it is gone: 100 entries a page.
   * @param cursor - of the page before
   * @throws TypeError for a cursor that is none of ours
   */
  listCalls(instance: Pick<Instance, 'id'>, clientId: string, cursor?: string): Promise<CallPage>
  /**
   * How often a client called since then, and how many documents that were.
   * @param since - milliseconds since the epoch
   */
  countCalls(
    instance: Pick<Instance, 'id'>,
    clientId: string,
    since: number,
  ): Promise<{ readonly calls: number; readonly documents: number }>
  /** The clients that have a live grant of a resource, the one that came last first. */
  list(instance: Instance): Promise<readonly Assistant[]>
  /** Ends every grant of one, before it resolves. @returns false when it has none of a resource */
  end(instance: Instance, clientId: string, reason: string, by?: ActivitySource): Promise<boolean>
  /** Ends them all, before it resolves. @returns how many */
  endAll(instance: Instance, reason: string, by?: ActivitySource): Promise<number>
  /** Ends them in every instance: for a server that no longer takes any. Slow, to be called beside the requests. @returns how many */
  endEverywhere(reason: string): Promise<number>
  /**
   * Keeps a copy of the document of a client for when it cannot be fetched: of the file that the operator has. What is
   * fetched later takes its place.
   * @returns what was found; with a fault nothing is kept
   */
  keepDocument(url: string, text: string): Promise<DocumentReport>
  /** The copies that are kept, by address. */
  keptDocuments(): Promise<readonly KeptDocument[]>
  /** Forgets a copy. @returns false when there is none */
  dropDocument(url: string): Promise<boolean>
  /** Whether the owner lets any connect. */
  mayConnect(instance: Instance): Promise<boolean>
  /** Lets them connect, or none; then those that are connected end before it resolves. */
  allow(instance: Instance, isAllowed: boolean, by?: ActivitySource): Promise<void>
}

/** {@link Assistants} over the package's own functions. */
export function assistantsOf(
  services: OAuthServices & { readonly instances: Pick<Instances, 'list'> },
): Assistants {
  const copies = new DocumentCopies(services.store)
  return {
    recordCall: (call) => services.calls.record(call),
    callChanges: (call) => services.calls.changes(call),
    listCalls: (instance, clientId, cursor) => listCalls(services, instance, clientId, cursor),
    countCalls: (instance, clientId, since) => countSince(services, instance, clientId, since),
    list: (instance) => listAssistants(services, instance),
    end: (instance, clientId, reason, by = BY_SERVER) =>
      endAssistant(services, instance, clientId, reason, by),
    endAll: (instance, reason, by = BY_SERVER) => endAssistants(services, instance, reason, by),
    endEverywhere: (reason) => endAssistantsEverywhere(services, reason),
    async keepDocument(url, text) {
      const report = checkGivenDocument(url, Buffer.from(text))
      if (report.fault === undefined) {
        await copies.put({ url, text, fetchedAt: services.clock.now() })
        services.log.info('cimd.copy_kept', { host: hostOfClientId(url) })
      }
      return report
    },
    async keptDocuments() {
      return (await copies.list()).map(({ url, text, fetchedAt }) => {
        const { document } = checkGivenDocument(url, Buffer.from(text))
        return { url, name: document?.name ?? '', fetchedAt }
      })
    },
    async dropDocument(url) {
      const isRemoved = await copies.remove(url)
      if (isRemoved) services.log.info('cimd.copy_removed', { host: hostOfClientId(url) })
      return isRemoved
    },
    mayConnect: (instance) => mayConnect(services, instance),
    allow: (instance, isAllowed, by = BY_SERVER) =>
      allowAssistants(services, instance, isAllowed, by),
  }
}

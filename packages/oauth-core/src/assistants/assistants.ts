import type { Instance } from '@svc/platform'
import type { Change } from '@svc/store'
import type { OAuthServices } from '../services.ts'
import type { AssistantCall } from './call.ts'
import { type CallPage, countSince, listCalls } from './read-calls.ts'

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
}

/** {@link Assistants} over the package's own functions. */
export function assistantsOf(services: OAuthServices): Assistants {
  return {
    recordCall: (call) => services.calls.record(call),
    callChanges: (call) => services.calls.changes(call),
    listCalls: (instance, clientId, cursor) => listCalls(services, instance, clientId, cursor),
    countCalls: (instance, clientId, since) => countSince(services, instance, clientId, since),
  }
}

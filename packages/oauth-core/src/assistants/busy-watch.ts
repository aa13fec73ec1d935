import { hash } from 'node:crypto'
import { type Emitter, HOUR_MS, type InstanceId, type Instances, SECOND_MS } from '@svc/platform'
import { describeError, recordKey, type Store } from '@svc/store'
import type { OAuthLog } from '../log/log-events.ts'
import type { OAuthEvents } from '../ports.ts'

/** Documents read within an hour that are many. @see assistants.md 5.7 */
export const MANY_DOCUMENTS = 1000
/** How long documents are gathered before they are counted for all processes. */
const GATHER_MS: number = SECOND_MS

export interface BusyWatchOptions {
  readonly store: Pick<Store, 'hit'>
  readonly log: OAuthLog
  readonly instances: Pick<Instances, 'byId'>
  readonly emitter: Pick<Emitter<OAuthEvents>, 'emit'>
}

/**
 * Notices assistants that read many documents within an hour, over all processes. It counts behind the calls, which
 * never wait for it; a count that is lost costs a notice, and nothing else.
 */
export class BusyWatch {
  readonly #options: BusyWatchOptions
  #waiting = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #counting: Promise<void> = Promise.resolve()

  constructor(options: BusyWatchOptions) {
    this.#options = options
  }

  note(instanceId: string, clientId: string, documents: number): void {
    if (documents === 0) return
    const name = `${instanceId}:${clientId}`
    this.#waiting.set(name, (this.#waiting.get(name) ?? 0) + documents)
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS).unref()
  }

  /** Counts what waits. Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const waiting = this.#waiting
    this.#waiting = new Map()
    this.#counting = this.#counting.then(async () => {
      for (const [name, documents] of waiting) {
        const [instanceId = '', clientId = ''] = name.split(':')
        await this.#count(instanceId as InstanceId, clientId, documents).catch((error: unknown) =>
          this.#options.log.warn('assistant.reads_not_counted', {
            clientId,
            cause: describeError(error),
          }),
        )
      }
    })
    return this.#counting
  }

  async #count(instanceId: InstanceId, clientId: string, documents: number): Promise<void> {
    const { store, instances, emitter } = this.#options
    const id = `assistant-documents:${hash('sha256', clientId, 'base64url')}`
    const { count } = await store.hit(recordKey(instanceId, 'rate', id), HOUR_MS, documents)
    // Once in the hour: the hit that passes the bound.
    if (count <= MANY_DOCUMENTS || count - documents > MANY_DOCUMENTS) return
    const instance = await instances.byId(instanceId)
    if (instance !== undefined) {
      emitter.emit('assistant.busy', { instance, clientId, documents: MANY_DOCUMENTS })
    }
  }
}

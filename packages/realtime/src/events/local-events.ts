import type { InstanceId } from '@svc/platform'
import { describeError } from '@svc/store'
import type { CheckedEvent } from './event.ts'
import type { RealtimeLog } from '../log/log-events.ts'

/** Something that was published in this process. */
export interface LocalEvent extends CheckedEvent {
  readonly instanceId: InstanceId
}

/** Whoever wants to know of everything that happens in this process, such as triggers. @see realtime.md 7.3 */
export class LocalEvents {
  readonly #log: RealtimeLog
  readonly #handlers = new Set<(event: LocalEvent) => void>()

  constructor(log: RealtimeLog) {
    this.#log = log
  }

  on(handler: (event: LocalEvent) => void): () => void {
    // A function of its own, so that a handler may be there twice.
    const own = (event: LocalEvent): void => handler(event)
    this.#handlers.add(own)
    return () => void this.#handlers.delete(own)
  }

  emit(event: LocalEvent): void {
    for (const handler of this.#handlers) {
      try {
        handler(event)
      } catch (cause) {
        this.#log.error('realtime.handler_failed', { cause: describeError(cause) })
      }
    }
  }
}

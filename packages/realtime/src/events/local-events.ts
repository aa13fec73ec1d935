import type { InstanceId, Logger } from '@svc/platform'
import { describeError } from '@svc/store'
import type { CheckedEvent } from './event.ts'

/** Something that was published in this process. */
export interface LocalEvent extends CheckedEvent {
  readonly instanceId: InstanceId
}

/** Whoever wants to know of everything that happens in this process, such as triggers. @see realtime.md 7.3 */
export interface LocalEvents {
  on(handler: (event: LocalEvent) => void): () => void
  emit(event: LocalEvent): void
}

export function createLocalEvents(log: Logger): LocalEvents {
  const handlers = new Set<(event: LocalEvent) => void>()

  return {
    on(handler) {
      // A function of its own, so that a handler may be there twice.
      const own = (event: LocalEvent): void => handler(event)
      handlers.add(own)
      return () => void handlers.delete(own)
    },
    emit(event) {
      for (const handler of handlers) {
        try {
          handler(event)
        } catch (cause) {
          log.error('realtime.handler_failed', { cause: describeError(cause) })
        }
      }
    },
  }
}

import { describeError } from '@svc/store'
import type { PlatformLog } from '../log/log-events.ts'

/** Events of a package: names and what their handlers are given. */
export interface Emitter<Events extends object> {
  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void
  /** @returns what ends the subscription */
  on<Name extends keyof Events>(name: Name, handler: (event: Events[Name]) => void): () => void
}

/**
 * A handler that throws is logged and stops nothing.
 * @example
 * const emitter = createEmitter<{ posted: { id: string } }>(log)
 * const end = emitter.on('posted', ({ id }) => process.stdout.write(id))
 * emitter.emit('posted', { id: 'a1' })
 * end()
 */
export function createEmitter<Events extends object>(log: PlatformLog): Emitter<Events> {
  const handlers = new Map<keyof Events, Set<(event: never) => void>>()

  return {
    emit(name, event) {
      for (const handler of handlers.get(name) ?? []) {
        try {
          // `on` filed it under the name of what it takes.
          handler(event as never)
        } catch (error) {
          log.error('event.handler_failed', { name: String(name), cause: describeError(error) })
        }
      }
    },
    on(name, handler) {
      // A function of its own, so that a handler may be there twice.
      const own = (event: Events[typeof name]): void => handler(event)
      const filed = handlers.get(name) ?? new Set()
      handlers.set(name, filed.add(own))
      return () => {
        filed.delete(own)
      }
    },
  }
}

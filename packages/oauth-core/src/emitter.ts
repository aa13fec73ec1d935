import type { Logger, OAuthEvents } from './ports.ts'

/** The package's events. */
export interface Emitter {
  emit<Name extends keyof OAuthEvents>(name: Name, event: OAuthEvents[Name]): void
  /** @returns what ends the subscription */
  on<Name extends keyof OAuthEvents>(
    name: Name,
    handler: (event: OAuthEvents[Name]) => void,
  ): () => void
}

/** A handler that throws is logged and stops nothing. */
export function createEmitter(log: Logger): Emitter {
  const handlers = new Map<keyof OAuthEvents, Set<(event: never) => void>>()

  return {
    emit(name, event) {
      for (const handler of handlers.get(name) ?? []) {
        try {
          // `on` filed it under the name of what it takes.
          handler(event as never)
        } catch (error) {
          log.error('event.handler_failed', { name, cause: String(error) })
        }
      }
    },
    on(name, handler) {
      // A function of its own, so that a handler may be there twice.
      const own = (event: OAuthEvents[typeof name]): void => handler(event)
      const filed = handlers.get(name) ?? new Set()
      handlers.set(name, filed.add(own))
      return () => {
        filed.delete(own)
      }
    },
  }
}

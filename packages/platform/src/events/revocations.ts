import type { Bus, Json } from '@svc/store'
import type { InstanceId } from '../instances/instance.ts'
import type { PlatformLog } from '../log/log-events.ts'

/**
 * What can end before the tokens that name it do. `client`, `app` and `instance` may also only have changed: what
 * depends on them is looked at again. A `grant` that gives less ends the tokens it gave before.
 */
export type RevocableKind = 'client' | 'grant' | 'session' | 'app' | 'instance'

const KINDS: readonly unknown[] = ['client', 'grant', 'session', 'app', 'instance']

/** Something ended: tokens that name it are refused from now on. */
export interface Revocation {
  readonly instanceId: InstanceId
  readonly kind: RevocableKind
  /** Client id, grant id, session id, slug, or the instance's id. */
  readonly id: string
}

/** Who hears of ends, in this and in other processes. */
export interface RevocationListener {
  /** Something ended or changed, in this or another process. Must not throw. */
  readonly onRevoked: (revocation: Revocation) => void
  /** Some may have been missed: whatever is remembered is to be looked at again. Must not throw. */
  readonly onGap: () => void
}

/**
 * Tells all processes at once that something ended. Best effort: whoever listens also looks at the store again
 * within a second (security.md 78).
 */
export interface Revocations {
  /** After the write that ended it. Listeners of this process have heard when it returns; never rejects. */
  publish(revocation: Revocation): Promise<void>
  /** Tells the listeners of this process alone, about something every process hears of by itself. */
  tell(revocation: Revocation): void
  /** Hears the ends of this and other processes, in the order of listening. */
  listen(listener: RevocationListener): () => void
  close(): Promise<void>
}

const CHANNEL = 'oauth.revoked'
/** Of messages as they are written now; one without a version has the first. */
const VERSION = 1

/**
 * Tells all processes that something ended, over the bus.
 * @see docs/architecture.md of the repository
 * @example
 * const revocations = createRevocations({ bus: store.bus, log })
 */
export function createRevocations(options: {
  readonly bus: Bus
  readonly log: PlatformLog
}): Revocations {
  const { bus, log } = options
  const listeners = new Set<RevocationListener>()

  function tell(revocation: Revocation): void {
    for (const listener of listeners) listener.onRevoked(revocation)
  }

  const subscription = bus
    .subscribe(CHANNEL, (message) => {
      const revocation = fromMessage(message)
      if (revocation === undefined) return 'unknown'
      tell(revocation)
      return undefined
    })
    .catch((cause: unknown) => {
      log.warn('revocation.not_subscribed', { cause: String(cause) })
      return undefined
    })
  const endGap = bus.onGap(() => {
    for (const listener of listeners) listener.onGap()
  })

  return {
    tell,
    async publish(revocation) {
      tell(revocation)
      const { instanceId, kind, id } = revocation
      await bus.publish(CHANNEL, { v: VERSION, instanceId, kind, id }).catch((cause: unknown) => {
        log.warn('revocation.not_published', { kind, cause: String(cause) })
      })
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      endGap()
      listeners.clear()
      const end = await subscription
      await end?.()
    },
  }
}

function fromMessage(message: Json): Revocation | undefined {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return undefined
  const { v = 1, instanceId, kind, id } = message as Readonly<Record<string, Json | undefined>>
  if (v !== VERSION) return undefined
  if (typeof instanceId !== 'string' || typeof id !== 'string' || !KINDS.includes(kind)) {
    return undefined
  }
  // All three were looked at; the bus is ours, its messages come from `publish`.
  return { instanceId: instanceId as InstanceId, kind: kind as RevocableKind, id }
}

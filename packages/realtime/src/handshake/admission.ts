import type { InstanceId } from '@svc/platform'
import type { Limits } from '../limits.ts'

/** A place for one connection. */
export interface Admission {
  /** It is somebody's now. Idempotent. */
  authenticated(): void
  /** It is gone. Idempotent. */
  release(): void
}

/** How many connections there are, of whom. @see realtime.md 6 */
export interface Admissions {
  /** Undefined when some limit is reached. */
  admit(instanceId: InstanceId, address: string): Admission | undefined
  /** Instances and addresses that have connections. */
  readonly tracked: number
}

export function createAdmissions(
  limits: Pick<Limits, 'addressConnections' | 'instanceConnections' | 'pendingConnections'>,
): Admissions {
  const ofInstance = new Map<string, number>()
  const ofAddress = new Map<string, number>()
  const pending = new Map<string, number>()

  return {
    admit(instanceId, address) {
      const isFull =
        (ofInstance.get(instanceId) ?? 0) >= limits.instanceConnections ||
        (ofAddress.get(address) ?? 0) >= limits.addressConnections ||
        (pending.get(address) ?? 0) >= limits.pendingConnections
      if (isFull) return undefined
      add(ofInstance, instanceId, 1)
      add(ofAddress, address, 1)
      add(pending, address, 1)
      let isPending = true
      let isReleased = false
      function authenticated(): void {
        if (!isPending) return
        isPending = false
        add(pending, address, -1)
      }
      return {
        authenticated,
        release() {
          if (isReleased) return
          isReleased = true
          authenticated()
          add(ofInstance, instanceId, -1)
          add(ofAddress, address, -1)
        },
      }
    },
    get tracked() {
      return ofInstance.size + ofAddress.size + pending.size
    },
  }
}

function add(counts: Map<string, number>, name: string, by: number): void {
  const count = (counts.get(name) ?? 0) + by
  if (count === 0) counts.delete(name)
  else counts.set(name, count)
}

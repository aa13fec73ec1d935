import type { InstanceId } from '@svc/platform'
import type { Limits } from '../limits.ts'

/** Connections that there are, and those of them that are nobody's yet. */
interface Counts {
  readonly ofInstance: Map<string, number>
  readonly ofAddress: Map<string, number>
  readonly pending: Map<string, number>
}

/** A place for one connection. */
export class Admission {
  readonly #counts: Counts
  readonly #instanceId: InstanceId
  readonly #address: string
  #isPending = true
  #isReleased = false

  constructor(counts: Counts, instanceId: InstanceId, address: string) {
    this.#counts = counts
    this.#instanceId = instanceId
    this.#address = address
    add(counts.ofInstance, instanceId, 1)
    add(counts.ofAddress, address, 1)
    add(counts.pending, address, 1)
  }

  /** It is somebody's now. Idempotent. */
  authenticated(): void {
    if (!this.#isPending) return
    this.#isPending = false
    add(this.#counts.pending, this.#address, -1)
  }

  /** It is gone. Idempotent. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.authenticated()
    add(this.#counts.ofInstance, this.#instanceId, -1)
    add(this.#counts.ofAddress, this.#address, -1)
  }
}

type AdmissionLimits = Pick<
  Limits,
  'addressConnections' | 'instanceConnections' | 'pendingConnections'
>

/** How many connections there are, of whom. @see realtime.md 6 */
export class Admissions {
  readonly #limits: AdmissionLimits
  readonly #counts: Counts = { ofInstance: new Map(), ofAddress: new Map(), pending: new Map() }

  constructor(limits: AdmissionLimits) {
    this.#limits = limits
  }

  /** Undefined when some limit is reached. */
  admit(instanceId: InstanceId, address: string): Admission | undefined {
    const { ofInstance, ofAddress, pending } = this.#counts
    const isFull =
      (ofInstance.get(instanceId) ?? 0) >= this.#limits.instanceConnections ||
      (ofAddress.get(address) ?? 0) >= this.#limits.addressConnections ||
      (pending.get(address) ?? 0) >= this.#limits.pendingConnections
    return isFull ? undefined : new Admission(this.#counts, instanceId, address)
  }

  /** Instances and addresses that have connections. */
  get tracked(): number {
    const { ofInstance, ofAddress, pending } = this.#counts
    return ofInstance.size + ofAddress.size + pending.size
  }
}

function add(counts: Map<string, number>, name: string, by: number): void {
  const count = (counts.get(name) ?? 0) + by
  if (count === 0) counts.delete(name)
  else counts.set(name, count)
}

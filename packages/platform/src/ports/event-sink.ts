import type { Instance } from '../instances/instance.ts'

/** A change that subscribers of an instance are told of. */
export interface OwnerEvent {
  /** Doctype. */
  readonly type: string
  readonly id: string
  /** Without secrets. */
  readonly doc?: Readonly<Record<string, unknown>>
}

/** Tells subscribers, usually over the websocket of `@svc/realtime`. */
export interface EventSink {
  /** Resolves when subscribers of this process and the other processes were told; never rejects. */
  publish(
    instance: Pick<Instance, 'id'>,
    verb: 'CREATED' | 'UPDATED' | 'DELETED',
    event: OwnerEvent,
  ): Promise<void>
}

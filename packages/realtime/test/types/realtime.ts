// Compiled, never run: what the types promise and refuse.
import type { Server } from 'node:http'
import type { OAuth } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import { createRealtime, type Realtime, type RealtimeStats } from '@svc/realtime'

type Equals<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function assertType<_Holds extends true>(): void {}

/** What other packages ask of whoever tells apps what happened. */
interface EventSink {
  publish(
    instance: Instance,
    verb: 'CREATED' | 'UPDATED' | 'DELETED',
    event: {
      readonly type: string
      readonly id: string
      readonly doc?: Readonly<Record<string, unknown>>
    },
  ): Promise<void>
}

export async function checkRealtime(
  oauth: OAuth,
  server: Server,
  instance: Instance,
): Promise<void> {
  const realtime = createRealtime({ oauth, limits: { subscriptions: 5 } })
  assertType<Equals<typeof realtime, Realtime>>()
  assertType<Equals<ReturnType<typeof realtime.stats>, RealtimeStats>>()
  const sink: EventSink = realtime
  realtime.attach(server)
  await sink.publish(instance, 'CREATED', { type: 'io.svc.files', id: 'one' })

  // @ts-expect-error an event has an id
  await realtime.publish(instance, 'CREATED', { type: 'io.svc.files' })
  // @ts-expect-error there is no such verb
  await realtime.publish(instance, 'READ', { type: 'io.svc.files', id: 'one' })
  // @ts-expect-error there is no such limit
  createRealtime({ oauth, limits: { sockets: 1 } })
}

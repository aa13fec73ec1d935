import { SentinelConnector } from 'ioredis'

type SentinelOptions = ConstructorParameters<typeof SentinelConnector>[0]
type Emit = Parameters<SentinelConnector['connect']>[0]
type Stream = ReturnType<SentinelConnector['connect']>

/**
 * Finds the master through sentinels. Those who watch for a fail-over of the connection before are let go first: when
 * one heard of it while the sentinels were asked anew, it ended that attempt, and ioredis makes no other after it.
 * @see docs/decisions/0001-redis-connection.md
 */
export class PatientSentinels extends SentinelConnector {
  /** @param options - those of the connection; ioredis calls them unknown, and hands on what it was made with */
  constructor(options: unknown) {
    super(options as SentinelOptions)
  }

  override connect(emit: Emit): Stream {
    super.disconnect()
    return super.connect(emit)
  }
}

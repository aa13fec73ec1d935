import { TLSSocket } from 'node:tls'
import { SentinelConnector } from 'ioredis'

type SentinelOptions = ConstructorParameters<typeof SentinelConnector>[0]
type Emit = Parameters<SentinelConnector['connect']>[0]
type Stream = ReturnType<SentinelConnector['connect']>

/**
 * Finds the master through sentinels. Those who watch for a fail-over of the connection before are let go first: when
 * one heard of it while the sentinels were asked anew, it ended that attempt, and ioredis makes no other after it. Once
 * is enough: each time more leaves something behind at connections that are closed already.
 * @see docs/decisions/0001-redis-connection.md
 */
export class PatientSentinels extends SentinelConnector {
  /** Whether a connection was made since then: each begins to watch. */
  #isWatching = false

  /** @param options - those of the connection; ioredis calls them unknown, and hands on what it was made with */
  constructor(options: unknown) {
    super(options as SentinelOptions)
  }

  override async connect(emit: Emit): Stream {
    if (this.#isWatching) super.disconnect()
    this.#isWatching = false
    const stream = await super.connect(emit)
    stream.once(stream instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
      this.#isWatching = true
    })
    return stream
  }
}

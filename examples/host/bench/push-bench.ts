import { createOutbound, type Outbound } from '@svc/platform'
import { startChild } from './child.ts'
import { type Figure, median } from './figure.ts'

export interface PushBenchOptions {
  readonly rounds: number
  readonly say: (line: string) => void
}

/** Of the certificate. */
const NAME = 'alice.example.com'
/** Of a batch. */
const PUSHES = 1000
/** So many at a time. */
const PARALLEL = 8
const BODY = 'x'.repeat(400)
/** What a TLS handshake costs beside a call is far more than this. */
const TARGET = 2

interface Batch {
  /** CPU microseconds of this process for each push. */
  readonly cpuUs: number
  readonly perSecond: number
  readonly connections: number
}

/** A batch of pushes to one service over TLS: on connections that are kept, and on one each. */
export async function benchPushes({ rounds, say }: PushBenchOptions): Promise<readonly Figure[]> {
  const server = await startChild('push-server.ts', [])
  try {
    const { port, ca } = server.hello as { port: number; ca: string } // What it says first.
    const outbound = createOutbound({
      ca: [ca],
      trustedNetworks: ['127.0.0.0/8'],
      lookup: async () => ['127.0.0.1'],
    })
    const count = (): Promise<number> => server.ask<number>({})
    async function measure(isRepeatable: boolean): Promise<Batch> {
      const connected = await count()
      const cpu = process.cpuUsage()
      const startedAt = performance.now()
      await push(outbound, `https://${NAME}:${port}/`, isRepeatable)
      const seconds = (performance.now() - startedAt) / 1000
      const { user, system } = process.cpuUsage(cpu)
      const connections = (await count()) - connected
      return { cpuUs: (user + system) / PUSHES, perSecond: PUSHES / seconds, connections }
    }
    const kept: Batch[] = []
    const own: Batch[] = []
    for (let round = 0; round <= rounds; round += 1) {
      const pair = [await measure(true), await measure(false)] as const
      say(`pushes round ${round}: kept ${textOf(pair[0])}; one each ${textOf(pair[1])}`)
      // Round 0 warms up and is not counted.
      if (round === 0) continue
      kept.push(pair[0])
      own.push(pair[1])
    }
    const ratio = median(own.map(({ cpuUs }, at) => cpuUs / (kept[at]?.cpuUs ?? Number.NaN)))
    return [
      {
        name: `${PUSHES} pushes over TLS, connections kept`,
        value: textOf(middle(kept)),
        reference: `one each ${textOf(middle(own))}`,
        ratio,
        target: `ratio ≥ ${TARGET.toFixed(1)}`,
        isMet: ratio >= TARGET,
      },
    ]
  } finally {
    await server.stop()
  }
}

async function push(outbound: Outbound, url: string, isRepeatable: boolean): Promise<void> {
  let left = PUSHES
  async function worker(): Promise<void> {
    while (left > 0) {
      left -= 1
      const call = { method: 'POST', isTrusted: true, isRepeatable, body: BODY } as const
      const { status } = await outbound.request(url, call)
      if (status !== 201) throw new Error(`a push was answered ${status}`)
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
}

function middle(batches: readonly Batch[]): Batch {
  const of = (pick: (batch: Batch) => number): number => median(batches.map(pick))
  return {
    cpuUs: of(({ cpuUs }) => cpuUs),
    perSecond: of(({ perSecond }) => perSecond),
    connections: of(({ connections }) => connections),
  }
}

function textOf({ cpuUs, perSecond, connections }: Batch): string {
  return `${cpuUs.toFixed(0)} us (${perSecond.toFixed(0)}/s, ${connections} connections)`
}

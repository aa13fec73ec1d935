import { startChild } from './child.ts'
import { type Figure, median } from './figure.ts'

const TARGET = 2

export interface TickBenchOptions {
  readonly rounds: number
  readonly say: (line: string) => void
}

/**
 * What a call of `process.nextTick` takes in a process that was collected a few times at rest: with the packages in it,
 * and without, in turns.
 */
export async function benchTicks({ rounds, say }: TickBenchOptions): Promise<readonly Figure[]> {
  const kept: number[] = []
  const bare: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    kept.push(await measure('kept'))
    bare.push(await measure('bare'))
    say(`ticks round ${round}: ${nanoseconds(kept.at(-1))}, without ${nanoseconds(bare.at(-1))}`)
  }
  const ratio = median(bare) / median(kept)
  return [
    {
      name: 'process.nextTick after five collections at rest',
      value: nanoseconds(median(kept)),
      reference: `without the packages ${nanoseconds(median(bare))}`,
      ratio,
      target: `ratio ≥ ${TARGET.toFixed(1)}`,
      isMet: ratio >= TARGET,
    },
  ]
}

async function measure(which: 'bare' | 'kept'): Promise<number> {
  const child = await startChild('tick-process.ts', [which], { flags: ['--expose-gc'] })
  await child.stop()
  return child.hello as number // What tick-process.ts says.
}

function nanoseconds(value: number | undefined): string {
  return `${(value ?? Number.NaN).toFixed(0)} ns`
}

import { setTimeout as wait } from 'node:timers/promises'
import { scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import { TimingEqualizer } from '../../../src/passphrase/timing-equalizer.ts'

/** Long against what a slow machine needs for nothing at all. */
const WORK_MS = scaledLimit(150)

/** How long a run took, in milliseconds. */
async function timed(run: Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await run
  return performance.now() - startedAt
}

describe('the timing equalizer', () => {
  const send = async (): Promise<boolean> => {
    await wait(WORK_MS)
    return true
  }

  it('counts the time that finding out took', async () => {
    const timing = new TimingEqualizer()
    const sentMs = await timed(timing.run(send))
    const found = async (): Promise<boolean> => {
      await wait(WORK_MS / 2)
      return false
    }
    const unsentMs = await timed(timing.run(found))
    expect(unsentMs).to.be.at.least(Math.floor(sentMs) - 2)
    expect(unsentMs).to.be.below(sentMs + WORK_MS / 2)
  })

  it('learns nothing from what failed, and passes the failure on', async () => {
    const timing = new TimingEqualizer()
    const fail = async (): Promise<boolean> => {
      await wait(WORK_MS)
      throw new Error('the mail server is down')
    }
    const failure = await timing.run(fail).catch((error: unknown) => String(error))
    expect(failure).to.include('down')
    expect(await timed(timing.run(async () => false))).to.be.below(WORK_MS)
  })

  it('forgets times of long ago', async () => {
    const timing = new TimingEqualizer()
    await timing.run(send)
    for (let at = 0; at < 16; at += 1) await timing.run(async () => true)
    expect(await timed(timing.run(async () => false))).to.be.below(WORK_MS)
  })
})

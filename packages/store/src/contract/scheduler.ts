import assert from 'node:assert/strict'
import type { WakeUp } from '../scheduler.ts'
import { type DefinePart, part, type Subject } from './suite.ts'

const HOUR_MS = 60 * 60_000

/** Wake-ups at due times. */
export const testScheduler: DefinePart = part('scheduler', (it) => {
  it('wakes at the time, and at once for what is overdue', async (subject) => {
    const { store, clock, eventually } = subject
    const { queue, woken } = await listen(subject)
    await store.scheduler.at(queue, 'later', clock.now() + HOUR_MS)
    const past = clock.now() - 1000
    await store.scheduler.at(queue, 'past', past)
    await eventually(() => woken.length === 1)
    const soon = clock.now() + 300
    await store.scheduler.at(queue, 'soon', soon)
    await eventually(() => woken.length === 2)
    assert.ok(clock.now() >= soon)
    assert.deepEqual(woken, [
      { id: 'past', when: past },
      { id: 'soon', when: soon },
    ])
  })

  it('wakes once for the same queue, id and time, twice for two times', async (subject) => {
    const { store, clock, instance, eventually } = subject
    const queue = queueName(instance)
    const when = clock.now() + 200
    const asked = [when, when, when + 100, when]
    await Promise.all(asked.map((time) => store.scheduler.at(queue, 'a', time)))
    await store.scheduler.at(queue, 'end', when + 300)
    const { woken } = await listen(subject)
    await eventually(() => woken.some(({ id }) => id === 'end'))
    assert.deepEqual(
      woken.map((wakeUp) => wakeUp.when - when),
      [0, 100, 300],
    )
  })

  it('follows a clock that jumps', async (subject) => {
    const { store, clock, eventually } = subject
    const { queue, woken } = await listen(subject)
    const when = clock.now() + HOUR_MS
    await store.scheduler.at(queue, 'a', when)
    clock.advance(HOUR_MS)
    await eventually(() => woken.length === 1)
    assert.deepEqual(woken, [{ id: 'a', when }])
  })

  it('forgets all times of an id that is cancelled', async (subject) => {
    const { store, clock, eventually } = subject
    const { queue, woken } = await listen(subject)
    const when = clock.now() + HOUR_MS
    await store.scheduler.at(queue, 'a', when)
    await store.scheduler.at(queue, 'a', when + 50)
    await store.scheduler.at(queue, 'b', when + 100)
    await store.scheduler.cancel(queue, 'a')
    await store.scheduler.cancel(queue, 'never asked for')
    clock.advance(HOUR_MS + 100)
    await eventually(() => woken.length > 0)
    assert.deepEqual(woken, [{ id: 'b', when: when + 100 }])
    await store.scheduler.at(queue, 'a', when)
    await eventually(() => woken.length === 2)
  })

  it('brings a wake-up again whose handler threw', async (subject) => {
    const { store, clock, eventually } = subject
    let failures = 1
    const { queue, woken } = await listen(subject, async () => {
      if (failures-- > 0) throw new Error('a mistake of the handler')
    })
    const when = clock.now()
    await store.scheduler.at(queue, 'a', when)
    await eventually(() => woken.length === 2)
    assert.deepEqual(woken, [
      { id: 'a', when },
      { id: 'a', when },
    ])
  })

  it('keeps queues apart', async (subject) => {
    const { store, clock, instance, eventually } = subject
    const { queue, woken } = await listen(subject)
    await store.scheduler.at(queueName(`${instance}other`), 'a', clock.now())
    await store.scheduler.at(queue, 'b', clock.now())
    await eventually(() => woken.length > 0)
    assert.deepEqual(
      woken.map(({ id }) => id),
      ['b'],
    )
  })

  it('stops after the handlers under way, and goes on later', async (subject) => {
    const { store, clock, eventually } = subject
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let isDone = false
    const { queue, woken, stop } = await listen(subject, async () => {
      await held
      isDone = true
    })
    await store.scheduler.at(queue, 'a', clock.now())
    await eventually(() => woken.length === 1)
    const stopping = stop()
    release()
    await stopping
    assert.equal(isDone, true)
    await store.scheduler.at(queue, 'b', clock.now())
    const later = await listen(subject)
    await eventually(() => later.woken.length === 1)
    assert.equal(woken.length, 1)
    assert.equal(later.woken[0]?.id, 'b')
  })

  it('rejects a second handler, a bad queue, id or time with a TypeError', async (subject) => {
    const { scheduler } = subject.store
    const { queue } = await listen(subject)
    await assert.rejects(
      scheduler.process(queue, async () => {}),
      TypeError,
    )
    await assert.rejects(scheduler.at('Bad:queue', 'a', 0), TypeError)
    await assert.rejects(scheduler.at(queue, '', 0), TypeError)
    await assert.rejects(scheduler.at(queue, 'a', 1.5), TypeError)
    await assert.rejects(scheduler.cancel(queue, ''), TypeError)
  })
})

interface Listening {
  readonly queue: string
  /** What came, in order. */
  readonly woken: WakeUp[]
  readonly stop: () => Promise<void>
}

async function listen(
  { store, instance }: Subject,
  handle: () => Promise<void> = async () => {},
): Promise<Listening> {
  const queue = queueName(instance)
  const woken: WakeUp[] = []
  const stop = await store.scheduler.process(queue, async (wakeUp) => {
    woken.push(wakeUp)
    await handle()
  })
  return { queue, woken, stop }
}

function queueName(instance: string): string {
  return `q${Buffer.from(instance).toString('hex')}`
}

import { until } from '@svc/testkit'
import { expect } from 'chai'
import { eachTestHost } from '../support/for-test.ts'

const MOST = 5
const POSTED = 12

/** A row of operation.md 8.1. */
describe('the notifications that an instance keeps', () => {
  const host = eachTestHost({ SVC_LIMITS_NOTIFY_KEPT: String(MOST) })

  it('are no more than the limit by the count of the store: the oldest finished ones go', async () => {
    const { notify, quota } = host.host.app
    const kept = async (): Promise<number> =>
      (await quota.usage(host.instance)).notification?.records ?? 0
    const ids: string[] = []
    for (let n = 0; n < POSTED; n += 1) {
      const posted = await host.admin('POST', `/instances/${host.instance.domain}/notifications`, {
        notification: { title: `${n}`, message: 'Hello' },
      })
      ids.push(((await posted.json()) as { id: string }).id)
    }
    await until(async () => (await kept()) <= MOST, { limitMs: 15_000 })
    const { notifications } = await notify.operator.list(host.instance, {})
    expect(notifications.length).to.be.within(1, MOST)
    expect(notifications.map(({ id }) => id))
      .to.include(ids.at(-1))
      .and.to.not.include(ids[0])
  })
})

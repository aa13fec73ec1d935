import { anyStore } from '@svc/testkit'
import { expect } from 'chai'
import { closeServers, startNotify } from '../support/notify-server.ts'
import { until } from '../support/until.ts'

anyStore((open) => {
  afterEach(closeServers)
  const start = () => startNotify({ store: (clock) => open({ clock }) })

  describe('notify.operator and notify.figures', () => {
    it('lists what an instance was told, oldest first, page by page', async () => {
      const { notify, post, instance } = await start()
      const ids = [await post({ category: 'balance' }), await post({ category: 'bills' })]
      const first = await notify.operator.list(instance, { limit: 1 })
      expect(first.notifications.map(({ id }) => id)).to.deep.equal(ids.slice(0, 1))
      const { cursor = '' } = first
      const rest = await notify.operator.list(instance, { cursor })
      expect(rest.notifications.map(({ id }) => id)).to.deep.equal(ids.slice(1))
      expect(rest.cursor).to.equal(undefined)
    })

    it('finds one with its bodies, and nothing by what is no id', async () => {
      const { notify, post, instance } = await start()
      const id = await post({ category: 'balance', content: 'The whole letter.' })
      expect(await notify.operator.find(instance, id)).to.include({ content: 'The whole letter.' })
      for (const absent of ['', 'x', '../x', id.toUpperCase()]) {
        expect(await notify.operator.find(instance, absent), absent).to.equal(undefined)
      }
    })

    it('cancels what waits, and says why it does not', async () => {
      const { notify, post, instance, clock } = await start()
      const at = new Date(clock.now() + 3_600_000).toISOString()
      const id = await post({ category: 'balance', at })
      await notify.operator.cancel(instance, id)
      expect(await notify.operator.find(instance, id)).to.include({ status: 'cancelled' })
      const again = await notify.operator.cancel(instance, id).catch((error: unknown) => error)
      expect(again).to.include({ code: 'not_cancellable', status: 409 })
      const absent = await notify.operator.cancel(instance, 'x').catch((error: unknown) => error)
      expect(absent).to.include({ code: 'not_found', status: 404 })
    })

    it('counts what was accepted, how it ended, and each try of a channel once', async () => {
      const { notify, post, instance, clock } = await start()
      expect(notify.figures()).to.deep.equal({ accepted: 0, finished: {}, attempts: {} })
      await post({ category: 'balance' })
      await post({ category: 'balance', message: 'm', preferred_channels: ['mobile', 'sms'] })
      const at = new Date(clock.now() + 3_600_000).toISOString()
      await notify.operator.cancel(instance, await post({ category: 'bills', at }))
      await until(() => notify.figures().finished.sent === 2)
      expect(notify.figures()).to.deep.equal({
        accepted: 3,
        finished: { sent: 2, cancelled: 1 },
        attempts: { mail: { sent: 1 }, mobile: { permanent: 1 }, sms: { sent: 1 } },
      })
    })
  })
})

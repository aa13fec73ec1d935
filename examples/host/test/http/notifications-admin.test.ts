import { until } from '@svc/testkit'
import { expect } from 'chai'
import { eachTestHost } from '../support/for-test.ts'

const PATH = '/instances/alice.example.com'

describe('notifications of the operator (notifications.md 2.7)', () => {
  const host = eachTestHost()

  async function call(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; json: Record<string, unknown> }> {
    const answer = await host.admin(method, `${PATH}${path}`, body)
    const text = await answer.text()
    return { status: answer.status, json: text === '' ? {} : JSON.parse(text) }
  }

  const send = (notification: object, properties?: object) =>
    call('POST', '/notifications', { notification, ...(properties && { properties }) })

  async function becomes(id: unknown, status: string): Promise<Record<string, unknown>> {
    let last: unknown
    return until(
      async () => {
        const { json } = await call('GET', `/notifications/${String(id)}`)
        last = json['status']
        return last === status && json
      },
      { limitMs: 8000, describe: () => `it is ${String(last)}` },
    )
  }

  it('go out by mail unless told otherwise, and say what became of them', async () => {
    const { status, json } = await send({ title: 'Down at 22:00', message: 'For an hour.' })
    expect(status).to.equal(201)
    expect(json).to.include({ originator: 'cli', category: 'operator', title: 'Down at 22:00' })
    const sent = await becomes(json['id'], 'sent')
    expect(sent).to.include({ channel: 'mail' }).and.not.to.have.property('reason')
    expect(sent['attempts']).to.have.lengthOf(1)
    const [mail] = (await host.host.app.mailbox?.list(host.instance)) ?? []
    expect(mail?.mail).to.include({ subject: 'Down at 22:00' })
    expect(mail?.mail.text).to.include('For an hour.')
    expect(mail?.mail.unsubscribe, 'what the operator says cannot be ended').to.equal(undefined)
  })

  it('wait for their time, are listed, and can be cancelled until then', async () => {
    const at = new Date(Date.now() + 3_600_000).toISOString()
    const { json } = await send({ title: 'Later', at })
    expect(json).to.include({ status: 'scheduled', scheduled_at: at })
    const { json: list } = await call('GET', '/notifications')
    expect(list['notifications']).to.have.lengthOf(1)
    const path = `/notifications/${String(json['id'])}`
    expect((await call('DELETE', path)).status).to.equal(204)
    expect((await call('GET', path)).json).to.include({ status: 'cancelled' })
    const again = await call('DELETE', path)
    expect(again.status).to.equal(409)
    expect(again.json).to.include({ code: 'not_cancellable' })
  })

  it('are refused with every fault, and nothing is kept', async () => {
    const bad = await send({ title: 't', priority: 'urgent', at: 'tomorrow' })
    expect(bad.status).to.equal(422)
    expect(bad.json['error']).to.include('priority').and.to.include('at:')
    expect((await send({ title: '  ' })).status).to.equal(400)
    expect((await call('PATCH', '', { phone: '06 12' })).status).to.equal(400)
    expect((await send({ message: 'no title' })).status).to.equal(400)
    expect((await send({ title: 't' }, { time_to_live: 'soon' })).status).to.equal(400)
    expect((await call('GET', '/notifications')).json['notifications']).to.deep.equal([])
    expect((await call('GET', '/notifications/x')).status).to.equal(404)
    expect((await call('DELETE', '/notifications/x')).status).to.equal(404)
  })

  it('are counted in the metrics, by status and by channel', async () => {
    await host.admin('GET', '/metrics')
    const { json } = await send({ title: 't', preferred_channels: ['mobile'] })
    await becomes(json['id'], 'sent')
    const text = await (await host.admin('GET', '/metrics')).text()
    expect(text).to.include('svc_notifications_accepted_total 1\n')
    expect(text).to.include('svc_notifications_finished_total{status="sent"} 1\n')
    expect(text).to.include(
      'svc_notification_attempts_total{channel="mobile",class="permanent"} 1\n',
    )
    expect(text).to.include('svc_notification_attempts_total{channel="mail",class="sent"} 1\n')
  })
})

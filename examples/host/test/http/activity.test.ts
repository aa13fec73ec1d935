import { deriveLoginValue } from '@svc/auth-ui'
import { DAY_MS, type Instance, originOfApp } from '@svc/platform'
import { type BrowserClient, type BrowserResponse, fakeClock, until } from '@svc/testkit'
import { expect } from 'chai'
import { createInstance } from '../../src/create-instance.ts'
import { suiteHost, testHost } from '../support/for-test.ts'
import { connectClient } from '../support/owner-parts.ts'

const PASSPHRASE = 'correct horse battery staple'

interface Entry {
  readonly event: string
  readonly outcome: string
  readonly actor: { readonly kind: string }
  readonly target?: { readonly name?: string }
  readonly detail?: Readonly<Record<string, unknown>>
  readonly rights?: readonly string[]
}

describe('the record of activity', function () {
  this.timeout(30_000)
  const host = suiteHost()
  let instance: Instance
  let browser: BrowserClient
  let token: string

  before(async () => {
    const { app } = host.host
    instance = (await createInstance(app, { domain: 'bob.example.com' }, PASSPHRASE)).instance
    browser = await host.browser(instance.origin, { anonymous: true })
  })

  const call = (method: string, path: string, body?: unknown): Promise<BrowserResponse> =>
    browser.request(method, path, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })

  async function logIn(passphrase: string, status: number): Promise<void> {
    const answer = await browser.post(
      '/auth/login',
      { passphrase: await deriveLoginValue(passphrase, 'me@bob.example.com', 650_000) },
      { headers: { accept: 'application/json' } },
    )
    expect(answer.status).to.equal(status)
    if (status !== 200) return
    const page = await browser.get(`${originOfApp(instance, 'settings')}/`)
    token = /data-svc-token="([^"]+)"/.exec(page.text)?.[1] ?? ''
  }

  async function entries(): Promise<readonly Entry[]> {
    const answer = await call('GET', '/settings/activity')
    expect(answer.status, answer.text).to.equal(200)
    return answer.json<{ data: { attributes: Entry }[] }>().data.map((one) => one.attributes)
  }

  it('holds logins, consents, ended access and logouts, unbroken', async () => {
    await logIn('wrong horse', 401)
    await logIn(PASSPHRASE, 200)
    const { clientId } = await connectClient(host.host, instance, browser, 'io.svc.files')
    const path = `/settings/clients/${clientId}`
    const change = { duration: 'until_revoked', scope: 'io.svc.files:GET' }
    expect((await call('PATCH', path, change)).status).to.equal(200)
    expect((await call('PATCH', path, change)).status, 'changes nothing').to.equal(200)
    expect((await call('DELETE', path)).status).to.equal(204)
    expect((await call('DELETE', '/auth/login')).status).to.equal(204)
    await logIn(PASSPHRASE, 200)

    const found = await entries()
    const events = found.map(({ event }) => event).filter((event) => event !== 'owner.onboarded')
    expect(events).to.deep.equal([
      'login.succeeded',
      'logout',
      'client.removed',
      'rights.reduced',
      'access.extended',
      'consent.given',
      'login.succeeded',
      'login.failed',
      'record.started',
    ])
    const consent = found.find(({ event }) => event === 'consent.given')
    expect(consent?.rights?.[0]).to.match(/files/i)
    const removed = found.find(({ event }) => event === 'client.removed')
    expect(removed?.actor.kind).to.equal('owner')
    expect(removed?.target?.name).to.equal(consent?.target?.name).and.not.equal(undefined)
    expect(found.find(({ event }) => event === 'login.failed')?.outcome).to.equal('refused')
    const verified = await call('POST', '/settings/activity/verify')
    expect(verified.json<{ data: { attributes: object } }>().data.attributes).to.include({
      unbroken: true,
      count: found.length,
    })
  })

  it('names its end in the inbox once a month, and by no mail', async () => {
    const clock = fakeClock()
    clock.set(Date.UTC(2026, 10, 20))
    const monthly = await testHost({}, 'carol.example.com', clock)
    const { activity, mailbox, notify } = monthly.host.app
    await monthly.admin('PATCH', '/instances/carol.example.com', { publicName: 'Carol' })
    await activity.chain(monthly.instance)
    const lines: string[] = []
    for await (const line of activity.exportLines(monthly.instance)) lines.push(line)
    const { head } = JSON.parse(lines.at(-1) ?? '') as {
      readonly head: { readonly hash: string; readonly seq: number }
    }
    clock.advance(12 * DAY_MS)
    const [first] = await until(async () => {
      const { notifications } = await notify.operator.list(monthly.instance)
      return notifications.length === 0 ? undefined : notifications
    })
    expect(first).to.include({ category: 'activity-seal', status: 'sent' })
    const mark = head.hash.slice(0, 16).match(/.{4}/g)?.join(' ')
    expect(first?.message).to.include(`Entry ${head.seq}: ${mark}.`)
    expect(await mailbox?.list(monthly.instance)).to.deep.equal([])
  })

  it('is closed to clients, whatever they may else', async () => {
    const bearer = await host.connect('io.svc.files')
    const answer = await host.call(bearer.token, 'GET', '/settings/activity')
    expect(answer.status).to.equal(403)
  })
})

import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { listen } from '@svc/testkit'
import { expect } from 'chai'
import { openFcmServer } from '../../../../packages/notify/test/support/fcm-server.ts'
import { closeAfterTest, suiteFolder, testHost } from '../support/for-test.ts'
import { createToldOwner, type ToldOwner } from '../support/told-owner.ts'
import type { TestHost } from '../support/test-host.ts'

const PATH = '/instances/alice.example.com'
const REMINDER = { category: 'reminders', title: 'Reminder', preferred_channels: ['mobile'] }

describe('notifications of apps on the host', () => {
  let host: TestHost
  let told: ToldOwner
  const folder = suiteFolder()

  async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    host = await testHost(env)
    const admin = { port: host.host.adminPort, token: String(host.config.adminToken) }
    told = createToldOwner(admin, host.instance, host.host.port)
  }

  /** Calls an endpoint of the instance as an app with its own token, or a konnector. */
  async function call(
    method: string,
    target: string,
    { slug = 'safe', kind = 'app', body }: { slug?: string; kind?: string; body?: unknown } = {},
  ): Promise<{ status: number; json: Record<string, unknown> }> {
    const access =
      kind === 'app'
        ? await host.appToken(slug)
        : String(
            (await host.adminJson('POST', `/konnectors/${slug}/tokens`, undefined, 201))['token'],
          )
    const answer = await host.call(access, method, target, body, {
      'content-type': 'application/vnd.api+json',
    })
    return { status: answer.status, json: answer.text === '' ? {} : answer.json() }
  }

  async function post(attributes: object, by: { slug?: string; kind?: string } = {}) {
    const answer = await call('POST', '/notifications', { ...by, body: { data: { attributes } } })
    expect(answer.status, JSON.stringify(answer.json)).to.equal(201)
  }

  async function countTold(): Promise<number> {
    const answer = await host.admin('GET', `${PATH}/notifications`)
    const { notifications } = (await answer.json()) as { notifications: unknown[] } // as it lists them
    return notifications.length
  }

  async function file(name: string, content: string): Promise<string> {
    const place = path.join(folder, name)
    await writeFile(place, content)
    return place
  }

  it('go to FCM with the service account of the file, and not into the outbox', async () => {
    const fcm = await openFcmServer()
    closeAfterTest(() => fcm.close())
    await start({
      SVC_NOTIFICATIONS_FCM_CREDENTIALS_FILE: await file('fcm.json', JSON.stringify(fcm.account)),
      SVC_NOTIFICATIONS_FCM_ENDPOINT: fcm.origin,
    })
    await told.addDevice('registry://safe', 'A phone')
    const attributes = JSON.stringify({ ...REMINDER, data: { user_id: 0, deep: [0] } })
    // An id that no number of JavaScript has (D97).
    const body = `{"data":{"attributes":${attributes.replaceAll(/\b0\b/g, '17841405822304915')}}}`
    expect((await call('POST', '/notifications', { body })).status).to.equal(201)
    await told.isTold(
      'Reminder',
      ({ status, channel }) => status === 'sent' && channel === 'mobile',
    )
    expect(fcm.calls).to.have.lengthOf(1)
    expect(fcm.calls[0]?.message).to.include({ token: 'a-device-token' })
    expect(fcm.calls[0]?.message['data']).to.include({
      user_id: '17841405822304915',
      deep: '[17841405822304915]',
    })
    expect(await told.pushes()).to.deep.equal([])
  })

  for (const [what, content] of [
    ['is not there', undefined],
    ['is no service account', '{"type":"nonsense"}'],
  ] as const) {
    it(`come by mail when the credentials file ${what}, and the log says so`, async () => {
      const place = path.join(folder, 'absent.json')
      await start({
        SVC_NOTIFICATIONS_FCM_CREDENTIALS_FILE:
          content === undefined ? place : await file('bad.json', content),
      })
      await told.addDevice('registry://safe', 'A phone')
      await post(REMINDER)
      await told.isTold(
        'Reminder',
        ({ status, channel }) => status === 'sent' && channel === 'mail',
      )
      expect(host.log.map(([event]) => event)).to.include('push.credentials.unusable')
    })
  }

  it('go as texts to the gateway of the context of the instance', async () => {
    const texts: unknown[] = []
    const gateway = await listen((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        texts.push([request.headers.authorization, JSON.parse(body)])
        response.end('{}')
      })
    })
    closeAfterTest(() => gateway.close())
    const pro = { provider: 'http', url: `${gateway.origin}/send`, token: 'of-the-context' }
    const fields = { content: 'text', receiver: 'to' }
    await start({ SVC_NOTIFICATIONS_CONTEXTS: JSON.stringify({ pro: { ...pro, fields } }) })
    await host.admin('PATCH', PATH, { context: 'pro', phone: '+33 6 12 34 56 78' })
    await post({ ...REMINDER, message: 'Look', preferred_channels: ['sms'] })
    await told.isTold('Reminder', ({ status, channel }) => status === 'sent' && channel === 'sms')
    expect(texts).to.deep.equal([['Bearer of-the-context', { text: 'Look', to: ['+33612345678'] }]])
  })

  it('may come from a konnector that declares them, and the owner is asked about it', async () => {
    await start()
    await host.admin('POST', `${PATH}/konnectors`, { slug: 'demo-bank' })
    const balance = {
      category: 'balance',
      title: 'Low',
      state: 'low',
      preferred_channels: ['mail'],
    }
    await post(balance, { slug: 'demo-bank', kind: 'konnector' })
    const { json } = await call('GET', '/notifications/preferences', { slug: 'settings' })
    const { attributes } = json['data'] as { attributes: { sources: { id: string }[] } } // by 0180
    expect(attributes.sources.map(({ id }) => id)).to.deep.equal([
      'io.svc.konnectors/demo-bank',
      'io.svc.apps/safe',
    ])
    await host.admin('DELETE', `${PATH}/konnectors/demo-bank`)
    expect(await countTold(), 'once it is gone').to.equal(0)
  })

  it('go with the app that posted them', async () => {
    await start()
    await post({ ...REMINDER, at: new Date(Date.now() + 3_600_000).toISOString() })
    await told.isTold('Reminder', ({ status }) => status === 'scheduled')
    await host.admin('DELETE', `${PATH}/apps/safe`)
    expect(await countTold()).to.equal(0)
  })

  it('say by mail that more clients are connected than there may be', async () => {
    await start()
    await host.admin('PATCH', PATH, { oauthClientsMax: 0 })
    await told.addDevice('registry://safe', 'One phone too many')
    await told.isTold('Too many connected apps', ({ status }) => status === 'sent')
    const [mail] = (await host.host.app.mailbox?.list(host.instance)) ?? []
    expect(mail?.mail.text).to.include('One phone too many')
    expect(mail?.mail.text).to.include('https://settings.alice.example.com/?section=apps')
  })

  it('are open to browsers: the key of web pushes is there without configuration', async () => {
    await start()
    const key = async (): Promise<unknown> => {
      const { json } = await call('GET', '/notifications/push_key')
      return (json as { data: { attributes: unknown } }).data.attributes
    }
    const first = await key()
    expect(first)
      .to.have.property('public_key')
      .that.matches(/^B[A-Za-z0-9_-]{86}$/)
    expect(await key()).to.deep.equal(first)
  })
})

import { deriveLoginValue } from '@svc/auth-ui'
import { type Instance, originOfApp } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { createInstance } from '../../src/create-instance.ts'
import { suiteHost } from '../support/for-test.ts'
import { plantSession } from '../support/owner-parts.ts'

const PASSPHRASE = 'correct horse battery staple'
const SECRETS = '/data/io.svc.safe.secrets'

describe('/data of a type that wants a confirmation', () => {
  const host = suiteHost()
  let instance: Instance
  let browser: BrowserClient
  let token: string
  let events: unknown[]

  before(async () => {
    const { app } = host.host
    instance = (await createInstance(app, { domain: 'bob.example.com' }, PASSPHRASE)).instance
    browser = await host.browser(instance.origin, { anonymous: true })
    await plantSession(host.host, instance, browser)
    const page = await browser.get(`${originOfApp(instance, 'safe')}/`)
    token = /data-svc-token="([^"]+)"/.exec(page.text)?.[1] ?? ''
    app.realtime.onLocalEvent((event) => {
      events.push(event)
    })
  })
  beforeEach(() => {
    events = []
  })

  const call = (method: string, path: string, json?: unknown): Promise<BrowserResponse> =>
    browser.request(method, path, {
      headers: {
        authorization: `Bearer ${token}`,
        ...(json !== undefined && { 'content-type': 'application/json' }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    })

  /** The query that shows a confirmation which led back to an app. */
  async function confirmed(slug: string, state = 'mine'): Promise<string> {
    const answer = await browser.post(
      '/auth/confirm',
      {
        passphrase: await deriveLoginValue(PASSPHRASE, 'me@bob.example.com', 650_000),
        state,
        redirect: `${originOfApp(instance, slug)}/`,
      },
      { headers: { accept: 'application/json' } },
    )
    expect(answer.status).to.equal(200)
    const { redirect } = answer.json<{ redirect: string }>()
    const code = new URL(redirect).searchParams.get('code') ?? ''
    return `?confirmation_code=${code}&confirmation_state=${state}`
  }

  it('takes documents without one, and tells nobody what they say', async () => {
    const put = await call('PUT', `${SECRETS}/one`, { text: 'PIN 4711' })
    expect(put.status).to.equal(201)
    expect(JSON.stringify(events)).to.include('one').and.not.include('4711')
  })

  it('gives them out, and lets them be deleted, with one that led back to the app', async () => {
    await call('PUT', `${SECRETS}/two`, { text: 'PIN 4712' })
    const query = await confirmed('safe')
    expect((await call('GET', SECRETS + query)).text).to.include('PIN 4712')
    expect((await call('GET', `${SECRETS}/two${query}`)).text).to.include('PIN 4712')
    expect((await call('DELETE', `${SECRETS}/two${query}`)).status).to.equal(204)
    expect((await call('GET', `${SECRETS}/two${query}`)).status).to.equal(404)
  })

  const refused: readonly (readonly [what: string, query: () => Promise<string>])[] = [
    ['no confirmation', async () => ''],
    ['a code that is none', async () => '?confirmation_code=x&confirmation_state=mine'],
    ['a code without its state', async () => (await confirmed('safe')).replace(/&.*/, '')],
    ['a code with another state', async () => `${await confirmed('safe')}s`],
    ['a confirmation for another app', () => confirmed('settings')],
  ]
  for (const [what, query] of refused) {
    it(`answers 403 confirmation_required to ${what}`, async () => {
      await call('PUT', `${SECRETS}/kept`, { text: 'PIN 4713' })
      const given = await query()
      for (const [method, path] of [
        ['GET', SECRETS],
        ['GET', `${SECRETS}/kept`],
        ['GET', `${SECRETS}/absent`],
        ['DELETE', `${SECRETS}/kept`],
      ] as const) {
        const answer = await call(method, path + given)
        expect(answer.status, `${method} ${path}`).to.equal(403)
        expect(answer.json()).to.have.property('code', 'confirmation_required')
      }
    })
  }

  it('answers 403 to an outside client, which no confirmation can lead back to', async () => {
    const { token: outside } = await host.connect('io.svc.safe.secrets')
    const answer = await host.call(outside, 'GET', SECRETS)
    expect(answer.status).to.equal(403)
  })
})

import type { BrowserClient } from '@svc/testkit'
import { expect } from 'chai'
import { suiteHost } from '../support/for-test.ts'

describe('a server with another prefix of doctypes (D20)', () => {
  const host = suiteHost({ SVC_NAMESPACE: 'io.cozy' })
  let browser: BrowserClient

  before(async () => {
    browser = await host.browser()
  })

  async function call(slug: string, method: string, path: string, json?: unknown) {
    const page = (await browser.get(`${host.app(slug)}/`)).page()
    const headers = { authorization: `Bearer ${page.attribute('data-svc-token')}` }
    const from = host.app(slug)
    if (json !== undefined) return browser.postJson(path, json, { from, headers })
    return browser.request(method, path, { from, headers })
  }

  it('tells its apps, which keep their documents under it', async () => {
    const page = (await browser.get(`${host.app('home')}/`)).page()
    expect(page.attribute('data-svc-namespace')).to.equal('io.cozy')
    const written = await call('home', 'POST', '/data/io.cozy.notes', { text: 'Hello' })
    expect(written.status).to.equal(201)
    const read = await call('home', 'GET', '/data/io.cozy.notes')
    expect(read.json<{ documents: unknown[] }>().documents).to.have.lengthOf(1)
    expect((await call('home', 'GET', '/data/io.svc.notes')).status).to.equal(403)
  })

  it('gives its settings app what it shows', async () => {
    await host.connect('io.cozy.contacts:GET')
    const clients = await call('settings', 'GET', '/settings/clients')
    expect(clients.json<{ data: unknown[] }>().data[0]).to.deep.include({
      type: 'io.cozy.oauth.clients',
    })
    for (const path of ['/settings/sessions', '/settings/passphrase'])
      expect((await call('settings', 'GET', path)).status, path).to.equal(200)
  })
})

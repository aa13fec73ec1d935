import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { deriveLoginValue } from '@svc/auth-ui'
import { expect } from 'chai'
import { AdminToken } from '../../src/admin/admin-token.ts'
import { eachTestHost, suiteHost, testHost } from '../support/for-test.ts'

const ALICE = '/instances/alice.example.com'

describe('the admin listener', () => {
  const host = eachTestHost()

  it('gives an owner who is locked out a new passphrase', async () => {
    const browser = await host.browser()
    expect((await browser.get('/')).location).to.equal(`${host.app('home')}/#`)
    const reset = (body?: object): Promise<Response> =>
      host.admin('POST', `${ALICE}/reset-passphrase`, body)
    expect(await (await reset()).json())
      .to.have.property('passphrase')
      .that.matches(/^([a-z2-9]{4}-){3}[a-z2-9]{4}$/)
    expect((await browser.get('/')).location).to.equal(`${host.instance.origin}/auth/login`)
    const chosen = await reset({ passphrase: 'correct horse battery staple' })
    expect(await chosen.json()).to.deep.equal({ domain: 'alice.example.com' })
    const audited = host.log.find(([event]) => event === 'passphrase.changed')
    expect(audited?.[1]).to.include({ how: 'host', audit: true })

    const page = (await browser.get('/auth/login')).page()
    // As the browser of the owner derives it; the salt is the one they had.
    const passphrase = await deriveLoginValue('correct horse battery staple', 'me@alice', 650_000)
    expect((await browser.submit(page.form('/auth/login'), { passphrase })).status).to.equal(302)

    await host.admin('POST', '/instances', { domain: 'bob.example.com' })
    const refusals: [target: string, body: object, status: number, code: string][] = [
      [ALICE, { passphrase: '' }, 400, 'invalid_request'],
      [ALICE, { passphrase: 1 }, 400, 'invalid_request'],
      [ALICE, { password: 'x' }, 400, 'invalid_request'],
      ['/instances/bob.example.com', {}, 412, 'onboarding_needed'],
      ['/instances/nobody.example.com', {}, 404, 'instance_not_found'],
    ]
    for (const [target, body, status, code] of refusals) {
      const refused = await host.admin('POST', `${target}/reset-passphrase`, body)
      const { code: told } = (await refused.json()) as { code?: string }
      expect([refused.status, told]).to.deep.equal([status, code])
    }
  })

  it('refuses mailed ways to log in to an owner without an address', async () => {
    await host.admin('POST', '/instances', { domain: 'bob.example.com' })
    const bob = '/instances/bob.example.com'
    for (const body of [{ auth_mode: 'two_factor_mail' }, { magic_link: true }]) {
      expect((await host.admin('PATCH', bob, body)).status).to.equal(400)
    }
    const create = { domain: 'carol.example.com', magic_link: true }
    expect((await host.admin('POST', '/instances', create)).status).to.equal(400)
  })

  it('removes what an instance held, so that a new one of the name starts empty', async () => {
    const { token, party } = await host.connect('io.svc.contacts')
    await party.call(token, 'PUT', 'https://alice.example.com/data/io.svc.contacts/bob', {})
    expect((await host.admin('DELETE', ALICE)).status).to.equal(204)
    expect(
      (await host.admin('POST', '/instances', { domain: 'alice.example.com' })).status,
    ).to.equal(201)
    const clients = (await (await host.admin('GET', `${ALICE}/clients`)).json()) as object
    expect(clients).to.deep.equal({ clients: [] })
    const refused = await fetch(`http://127.0.0.1:${host.host.port}/data/io.svc.contacts/bob`, {
      headers: { host: 'alice.example.com', authorization: `Bearer ${token}` },
    })
    expect(refused.status).to.be.oneOf([401, 404])
  })

  it('onboards at once with a passphrase, without a link', async () => {
    const created = await host.admin('POST', '/instances', {
      domain: 'carol.example.com',
      passphrase: 'correct horse battery staple',
    })
    const carol = (await created.json()) as object
    expect(carol).to.include({ onboarded: true })
    expect(carol).to.not.have.property('onboardingUrl')
    const link = await host.admin('POST', '/instances/carol.example.com/onboarding-link')
    expect(link.status).to.be.within(400, 409)
  })

  it('lists, shows and revokes clients, without their secrets', async () => {
    const { party, token } = await host.connect('io.svc.contacts:GET')
    const id = party.client.client_id
    const list = await (await host.admin('GET', `${ALICE}/clients`)).text()
    expect(list).to.include(id)
    expect(list).to.not.include(String(party.client.client_secret))
    const shown = (await (await host.admin('GET', `${ALICE}/clients/${id}`)).json()) as object
    expect(shown).to.deep.include({
      client_id: id,
      scopes: ['io.svc.contacts:GET'],
      pending: false,
    })
    expect((await host.admin('DELETE', `${ALICE}/clients/${id}`)).status).to.equal(204)
    expect((await host.admin('DELETE', `${ALICE}/clients/${id}`)).status).to.equal(404)
    const call = party.call(token, 'GET', 'https://alice.example.com/data/io.svc.contacts')
    expect(
      await call.then(
        () => 200,
        (error: { status: number }) => error.status,
      ),
    ).to.equal(401)
  })

  it('answers metrics, from the first time on', async () => {
    const first = await (await host.admin('GET', '/metrics')).text()
    expect(first).to.include('nodejs_eventloop_lag_seconds')
    const browser = await host.browser(undefined, { anonymous: true })
    await browser.get('/public/prelogin')
    const second = await host.admin('GET', '/metrics')
    expect(second.headers.get('content-type')).to.include('text/plain')
    expect(await second.text()).to.include(
      'svc_http_request_seconds_count{method="GET",route="/public/prelogin",status="200"} 1',
    )
  })
})

describe('what the admin listener refuses', () => {
  const host = suiteHost()

  const tokens: [string, Record<string, string>][] = [
    ['no token', {}],
    ['a wrong token', { authorization: `Bearer ${'x'.repeat(39)}` }],
    ['another scheme', { authorization: 'Basic dGVzdA==' }],
    [
      'a token with something behind',
      { authorization: 'Bearer test-admin-token-0123456789abcdef-0123 x' },
    ],
  ]
  for (const [what, headers] of tokens) {
    it(`answers 401 with ${what}`, async () => {
      for (const target of ['/instances', '/metrics', '/nothing']) {
        const answer = await fetch(`http://127.0.0.1:${host.host.adminPort}${target}`, { headers })
        expect(answer.status).to.equal(401)
        expect(answer.headers.get('www-authenticate')).to.equal('Bearer')
        expect(await answer.json()).to.have.property('code', 'unauthorized')
      }
    })
  }

  it('is not on the public listener', async () => {
    const browser = await host.browser(undefined, { anonymous: true })
    const headers = { authorization: `Bearer ${host.config.adminToken}` }
    for (const target of ['/instances', '/metrics', ALICE]) {
      expect((await browser.request('GET', target, { headers })).status, target).to.equal(404)
    }
  })

  it('answers 405 with the methods of a path to another one', async () => {
    const cases: [string, string, string][] = [
      ['DELETE', '/health', 'GET, HEAD'],
      ['PUT', ALICE, 'DELETE, GET, HEAD, PATCH'],
      ['PATCH', '/admin/account_types/0', 'DELETE, PUT'],
    ]
    for (const [method, target, allow] of cases) {
      const answer = await host.admin(method, target)
      expect(answer.status, target).to.equal(405)
      expect(answer.headers.get('allow')).to.equal(allow)
      expect(await answer.json()).to.have.property('code', 'method_not_allowed')
    }
    expect((await host.admin('DELETE', '/nothing')).status).to.equal(404)
  })

  const refusals: [string, string, unknown, number][] = [
    ['POST', '/instances', {}, 400],
    ['POST', '/instances', [], 400],
    ['POST', '/instances', { domain: 'not a host' }, 400],
    ['POST', '/instances', { domain: 'x.example.com', admin: true }, 400],
    ['POST', '/instances', { domain: 'x.example.com', locale: '../en' }, 400],
    ['POST', '/instances', { domain: 'alice.example.com' }, 409],
    ['POST', '/instances', { domain: 'home.alice.example.com' }, 409],
    ['PATCH', ALICE, { oauthClientsMax: 'many' }, 400],
    ['PATCH', ALICE, { status: 'deleting' }, 400],
    ['PATCH', ALICE, { auth_mode: 'two_factor_oidc' }, 400],
    ['POST', `${ALICE}/magic-code`, undefined, 404],
    ['PATCH', '/instances/nobody.example.com', {}, 404],
    ['DELETE', '/instances/nobody.example.com', undefined, 404],
    ['GET', '/instances/__proto__', undefined, 404],
    ['POST', `${ALICE}/apps`, { app: 'nothing' }, 400],
    ['POST', `${ALICE}/apps`, { app: '/nowhere' }, 400],
    ['DELETE', `${ALICE}/apps/nothing`, undefined, 404],
    ['POST', `${ALICE}/app-tokens`, { slug: 'nothing' }, 404],
    ['POST', `${ALICE}/app-tokens`, { slug: '__proto__' }, 404],
    ['GET', `${ALICE}/clients/nobody`, undefined, 404],
    ['POST', `${ALICE}/onboarding-link`, undefined, 400],
    ['GET', '/nothing', undefined, 404],
    ['PUT', '/nothing', {}, 404],
  ]
  for (const [method, target, body, status] of refusals) {
    it(`answers ${status} to ${method} ${target} ${JSON.stringify(body) ?? ''}`, async () => {
      const answer = await host.admin(method, target, body)
      expect(answer.status).to.equal(status)
      expect(await answer.json()).to.have.keys('code', 'error')
    })
  }

  it('answers 400 to broken JSON, 413 to too much', async () => {
    const send = (body: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${host.host.adminPort}/instances`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${host.config.adminToken}`,
          'content-type': 'application/json',
        },
        body,
      })
    expect((await send('{')).status).to.equal(400)
    expect((await send(JSON.stringify({ domain: 'x'.repeat(70_000) }))).status).to.equal(413)
  })
})

describe('the admin token', () => {
  it('is made once, readable by the owner only', async () => {
    const host = await testHost()
    const { dataDir } = host.config
    const first = new AdminToken({ dataDir })
    const file = path.join(dataDir, 'admin-token')
    const kept = readFileSync(file, 'utf8').trim()
    expect(kept).to.match(/^[A-Za-z0-9_-]{43}$/)
    expect(first.isSame(kept)).to.equal(true)
    expect(new AdminToken({ dataDir }).isSame(kept)).to.equal(true)
    expect(statSync(file).mode & 0o777).to.equal(0o600)
  })

  it('is replaced by command: the old one is dead at once', async () => {
    const host = await testHost({ SVC_ADMIN_TOKEN: '' })
    const file = path.join(host.config.dataDir, 'admin-token')
    const call = (method: string, target: string, token: string) =>
      fetch(`http://127.0.0.1:${host.host.adminPort}${target}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
      })
    const old = readFileSync(file, 'utf8').trim()
    const answer = await call('POST', '/admin-token', old)
    expect(answer.status).to.equal(200)
    expect(await answer.json()).to.deep.equal({ file })
    const next = readFileSync(file, 'utf8').trim()
    expect(next)
      .to.match(/^[A-Za-z0-9_-]{43}$/)
      .and.not.equal(old)
    expect(statSync(file).mode & 0o777).to.equal(0o600)
    expect((await call('GET', '/health', old)).status).to.equal(401)
    expect((await call('GET', '/health', next)).status).to.equal(200)
    expect(
      readdirSync(host.config.dataDir).filter((name) => name.startsWith('admin')),
    ).to.have.lengthOf(1)
  })

  it('is not replaced by command where the operator sets it', async () => {
    const host = await testHost()
    const answer = await host.admin('POST', '/admin-token')
    expect(answer.status).to.equal(409)
    expect(await answer.json()).to.include({ code: 'admin_token_configured' })
  })
})

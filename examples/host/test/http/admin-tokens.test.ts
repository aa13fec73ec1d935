import { expect } from 'chai'
import { eachStore, fakeClock, type FakeClock } from '@svc/testkit'
import { NamedTokens } from '../../src/admin/named-tokens.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

const UNTIL = '2999-01-31'

describe('named admin tokens', () => {
  let host: TestHost
  let clock: FakeClock

  beforeEach(async () => {
    clock = fakeClock()
    host = await startTestHost({}, 'alice.example.com', clock)
  })
  afterEach(() => host.stop())

  async function create(only: readonly string[], until = UNTIL): Promise<string> {
    const answer = await host.admin('POST', '/admin-tokens', { name: 'portal', only, until })
    expect(answer.status, await answer.clone().text()).to.equal(201)
    const body = (await answer.json()) as { token: string; until: string; only: string[] }
    expect(body.only).to.deep.equal(only)
    return body.token
  }
  function call(token: string, method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`http://127.0.0.1:${host.host.adminPort}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }

  it('do what they were made for and nothing else, and the audit stream names them', async () => {
    const token = await create(['instances:create'])
    const made = await call(token, 'POST', '/instances', { domain: 'new.example.com' })
    expect(made.status).to.equal(201)
    const refused = await call(token, 'DELETE', '/instances/new.example.com')
    expect(refused.status).to.equal(403)
    expect(await refused.json()).to.deep.equal({
      error:
        'the admin token portal may not do DELETE /instances/:domain: that takes instances:delete',
      code: 'scope_missing',
    })
    expect(refused.headers.get('www-authenticate')).to.equal(
      'Bearer error="insufficient_scope", scope="instances:delete"',
    )
    expect((await host.admin('GET', '/instances/new.example.com')).status).to.equal(200)
    const again = await call(token, 'POST', '/instances', { domain: 'new.example.com' })
    expect(again.status).to.equal(409)
    const audited = host.log.flatMap(([event, fields]) =>
      event === 'admin.called' ? [fields] : [],
    )
    expect(audited).to.deep.equal([
      { token: 'portal', route: 'POST /instances', status: 201, audit: true },
      { token: 'portal', route: 'DELETE /instances/:domain', status: 403, audit: true },
      { token: 'portal', route: 'POST /instances', status: 409, audit: true },
    ])
  })

  it('that make instances get the links of owners they made, and of no others', async () => {
    const line = JSON.stringify({
      externalId: 'user:1',
      domain: 'imported.example.com',
      email: 'one@example.net',
    })
    async function runImport(token: string, query = ''): Promise<Response> {
      const begun = await fetch(`http://127.0.0.1:${host.host.adminPort}/owners/imports${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: line,
      })
      if (begun.status !== 202) return begun
      const { import: id } = (await begun.json()) as { import: string }
      for (;;) {
        const answer = await call(token, 'GET', `/owners/imports/${id}`)
        const { state } = (await answer.clone().json()) as { state: string }
        if (state !== 'running') return answer
      }
    }
    async function linkOf(answer: Response): Promise<string | undefined> {
      const { result } = (await answer.json()) as {
        result: { owners: { state: string; onboardingUrl?: string }[] }
      }
      return result.owners[0]?.onboardingUrl
    }
    const maker = await create(['instances:create'])
    const misspelt = await runImport(maker, '?dry_run=1')
    expect(misspelt.status).to.equal(400)
    expect(await misspelt.json()).to.deep.equal({
      error: 'dry_run is neither true nor false',
      code: 'invalid_request',
    })
    expect((await host.admin('GET', '/instances/imported.example.com')).status).to.equal(404)
    const link = await linkOf(await runImport(maker))
    expect(link).to.match(/registerToken=/)
    expect(await linkOf(await runImport(maker))).to.equal(undefined)
    await host.admin('DELETE', '/admin-tokens/portal')
    const inviter = await create(['instances:create', 'owners:onboard'])
    expect(await linkOf(await runImport(inviter))).to.equal(link)
  })

  it('never make or end tokens', async () => {
    const token = await create(['keys:write', 'server:read'])
    for (const [method, path] of [
      ['POST', '/admin-token'],
      ['POST', '/admin-tokens'],
      ['GET', '/admin-tokens'],
      ['DELETE', '/admin-tokens/portal'],
    ] as const) {
      const { status } = await call(token, method, path, method === 'POST' ? {} : undefined)
      expect(status, `${method} ${path}`).to.equal(403)
    }
    expect((await call(token, 'GET', '/status')).status).to.equal(200)
  })

  it('are listed without their secret, dead once revoked, and of one name once', async () => {
    const token = await create(['instances:read'])
    const taken = await host.admin('POST', '/admin-tokens', {
      name: 'portal',
      only: ['instances:delete'],
      until: UNTIL,
    })
    expect(taken.status).to.equal(409)
    const listed = await (await host.admin('GET', '/admin-tokens')).text()
    expect(listed)
      .to.include('"portal"')
      .and.not.include(token.split('.')[1] ?? '')
    expect((await call(token, 'GET', '/instances')).status).to.equal(200)
    expect((await call(`${token.slice(0, -1)}_`, 'GET', '/instances')).status).to.equal(401)
    expect((await host.admin('DELETE', '/admin-tokens/portal')).status).to.equal(204)
    expect((await host.admin('DELETE', '/admin-tokens/portal')).status).to.equal(404)
    expect((await call(token, 'GET', '/instances')).status).to.equal(401)
  })

  it('say that they ended, when they did', async () => {
    const until = new Date(clock.now() + 60_000).toISOString()
    const token = await create(['instances:read'], until)
    expect((await call(token, 'GET', '/instances')).status).to.equal(200)
    clock.advance(61_000)
    const ended = await call(token, 'GET', '/instances')
    expect(ended.status).to.equal(401)
    expect(await ended.json()).to.deep.equal({
      error: `the admin token portal ended on ${until}`,
      code: 'admin_token_ended',
    })
  })

  it('have an end that is to come, and scopes that there are', async () => {
    for (const body of [
      { name: 'portal', only: ['instances:create'], until: '2020-01-01' },
      { name: 'portal', only: ['instances:create'], until: 'tomorrow' },
      { name: 'portal', only: ['everything'], until: UNTIL },
      { name: 'portal', only: [], until: UNTIL },
      { name: 'Portal.', only: ['instances:create'], until: UNTIL },
      { name: 'portal', only: ['instances:create'] },
    ]) {
      const { status } = await host.admin('POST', '/admin-tokens', body)
      expect(status, JSON.stringify(body)).to.equal(400)
    }
  })
})

describe('the named admin tokens of a store', () => {
  eachStore((open) => {
    it('end, and leave their name to another', async () => {
      const clock = fakeClock()
      clock.stop()
      const tokens = new NamedTokens(await open({ clock }), clock)
      const until = clock.now() + 1000
      // Exactly one of those who ask at once gets the name.
      const tries = await Promise.allSettled(
        Array.from({ length: 8 }, () => tokens.create('portal', ['apps:read'], until)),
      )
      const made = tries.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
      expect(made).to.have.length(1)
      const secret = made[0]?.secret ?? ''
      expect(await tokens.find(secret)).to.include({ name: 'portal', until })
      expect(await tokens.find(secret.replace('portal', 'other'))).to.equal(undefined)
      clock.advance(1001)
      expect((await tokens.find(secret))?.until).to.be.below(clock.now())
      const next = await tokens.create('portal', ['apps:write'], clock.now() + 1000)
      expect(await tokens.find(secret)).to.equal(undefined)
      expect((await tokens.list()).map(({ scopes }) => scopes)).to.deep.equal([['apps:write']])
      expect(await tokens.revoke('portal')).to.equal(true)
      expect(await tokens.revoke('portal')).to.equal(false)
      expect(await tokens.find(next.secret)).to.equal(undefined)
    })
  })
})

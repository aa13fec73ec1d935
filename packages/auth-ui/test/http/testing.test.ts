import { createOAuth } from '@svc/oauth-core'
import { testClock, testOwner, testToken } from '@svc/oauth-core/testing'
import { expect } from 'chai'
import { startUi, type UiServer } from '../support/ui-server.ts'

const HOUR_MS = 3_600_000
/** How long a busy machine may take between two statements. */
const MINUTE_MS = 60_000

describe('@svc/oauth-core/testing', () => {
  let server: UiServer

  async function start(testing: boolean): Promise<void> {
    server = await startUi({
      oauth: { testing },
      behind(app, oauth) {
        app.use(oauth.guard({ verb: 'GET', type: 'io.example.recipes' }))
        app.use((ctx) => {
          ctx.body = { recipes: ['soup'] }
        })
      },
    })
  }

  async function refusal(call: Promise<unknown>): Promise<string> {
    const error = await call.then(
      () => expect.fail('it was done'),
      (thrown: unknown) => thrown,
    )
    expect(error).to.be.instanceOf(TypeError)
    expect(error).to.have.property('code', 'invalid_options')
    return (error as Error).message
  }

  it('gives a token that a guarded route takes, with what it was given and no more', async () => {
    await start(true)
    const { oauth, ui } = server
    const { instance } = await testOwner(ui, { oauth })
    const browser = server.browser(instance.origin)
    const ask = async (scope: string): Promise<number> => {
      const token = await testToken(oauth, { instance, scope })
      const headers = { authorization: `Bearer ${token}` }
      return (await browser.get('/recipes', { headers })).status
    }
    expect(await ask('io.example.recipes:GET')).to.equal(200)
    expect(await ask('io.example.recipes:POST')).to.equal(403)
    expect(await ask('io.example.photos')).to.equal(403)
    expect((await browser.get('/recipes')).status).to.equal(401)
  })

  it('gives an owner with a session, and the same one again', async () => {
    await start(true)
    const { oauth, ui } = server
    const first = await testOwner(ui, { oauth, domain: 'bob.localhost' })
    const again = await testOwner(ui, { oauth, domain: 'bob.localhost' })
    expect(again.instance.id).to.equal(first.instance.id)
    expect(again.cookie).not.to.equal(first.cookie)
    const browser = server.browser(first.instance.origin)
    const page = await browser.get('/auth/login', { headers: { cookie: first.cookie } })
    expect(page.status).to.equal(302)
    expect(page.location).to.equal('http://home.bob.localhost/#')
  })

  it('refuses a server that was not made for tests, and any base that is not of this computer', async () => {
    await start(false)
    const { oauth, ui } = server
    expect(await refusal(testOwner(ui, { oauth }))).to.equal(
      'options.testing: must be true for this. Tests pass createOAuth({ testing: true })',
    )
    expect(await oauth.instances.byHost('alice.localhost')).to.equal(undefined)
    await start(true)
    const local = 'options.testing: only for domains at or below localhost, and this one is '
    const far = { oauth: server.oauth, domain: 'localhost.example.com' }
    expect(await refusal(testOwner(server.ui, far))).to.equal(`${local}localhost.example.com`)
    const input = { domain: 'alice.example.com', email: 'alice@example.com' }
    const { instance } = await server.ui.owners.createInstance(input)
    const token = testToken(server.oauth, { instance, scope: 'io.example.recipes' })
    expect(await refusal(token)).to.equal(`${local}alice.example.com`)
  })

  it('has a clock that moves, for tests alone', async () => {
    await start(true)
    const { store, key } = server
    const given = { store, keys: [{ kid: 'test', key }] }
    const clock = testClock()
    expect(() => createOAuth({ ...given, clock })).to.throw(
      TypeError,
      'options.clock: is one for tests, and testing is not true',
    )
    expect(() => createOAuth({ ...given, testing: true, isHttps: () => true })).to.throw(
      TypeError,
      'options.testing: is only for bases at or below localhost, and isHttps says otherwise',
    )
    expect(createOAuth({ ...given, testing: true, clock }).clock.now()).to.be.closeTo(
      Date.now(),
      MINUTE_MS,
    )
    clock.advance(HOUR_MS)
    expect(clock.now()).to.be.closeTo(Date.now() + HOUR_MS, MINUTE_MS)
  })
})

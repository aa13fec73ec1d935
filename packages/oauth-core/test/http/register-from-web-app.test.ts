import { expect } from 'chai'
import { HOST, METADATA, oauthServer, testApp } from '../oauth-server.ts'

const PATH = '/auth/registerFromWebApp'
const SETTINGS = `https://settings.${HOST}`

describe('POST /auth/registerFromWebApp', () => {
  it('answers 201 to the settings app, like POST /auth/register', async () => {
    const server = await oauthServer()
    const headers = { ...(await server.appHeaders('settings')), origin: SETTINGS }
    const { status, body, ...answer } = await server.send('POST', PATH, { json: METADATA, headers })
    expect(status).to.equal(201)
    expect(body).to.deep.include(METADATA)
    expect(body).to.have.property('registration_access_token')
    expect(answer.headers).to.include({
      'access-control-allow-origin': SETTINGS,
      'access-control-allow-credentials': 'true',
      'cache-control': 'no-store',
    })
    expect(answer.headers['vary']).to.contain('Origin')
  })

  it('answers 403 to anybody else', async () => {
    const server = await oauthServer()
    server.apps.set('drive', testApp('drive'))
    const settings = await server.appHeaders('settings')
    const { token, secret } = await server.register()
    const cases: readonly (readonly [what: string, headers: Record<string, string>])[] = [
      ['nobody', {}],
      ['a session without a token', { cookie: 'session=owner' }],
      ['a token without its session', { authorization: String(settings['authorization']) }],
      ['a broken token', { cookie: 'session=owner', authorization: 'Bearer x.y.z' }],
      ['a registration token', { cookie: 'session=owner', authorization: `Bearer ${token}` }],
      ['a client secret', { cookie: 'session=owner', authorization: `Bearer ${secret}` }],
      ['another scheme', { cookie: 'session=owner', authorization: `Basic ${token}` }],
      ['another app', (await server.appHeaders('drive')) as Record<string, string>],
    ]
    for (const [what, headers] of cases) {
      // Before content type, body and the limit are looked at.
      for (const request of [{ json: METADATA }, { body: 'x' }]) {
        const { status, body } = await server.send('POST', PATH, { ...request, headers })
        expect(status, what).to.equal(403)
        expect(body, what).to.deep.equal({ error: 'forbidden' })
      }
    }
  })

  it('judges the body as POST /auth/register does', async () => {
    const server = await oauthServer()
    const headers = await server.appHeaders('settings')
    const empty = await server.send('POST', PATH, { json: {}, headers })
    expect(empty.body['error']).to.equal('invalid_redirect_uri')
    const type = { ...headers, 'content-type': 'text/plain' }
    const text = await server.send('POST', PATH, { body: '{}', headers: type })
    expect(text.body).to.deep.equal({ error: 'bad_content_type' })
  })

  it("answers preflights of the instance's apps only", async () => {
    const { send } = await oauthServer()
    const ask = (origin: string) =>
      send('OPTIONS', PATH, {
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type',
        },
      })
    const { status, headers } = await ask(SETTINGS)
    expect(status).to.equal(204)
    expect(headers).to.include({
      'access-control-allow-origin': SETTINGS,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'POST',
      'access-control-max-age': '43200',
    })
    expect(headers['access-control-allow-headers']).to.contain('Authorization')
    // The other origins are those of every row: cors.test.ts.
    const foreign = await ask(`https://settings.bob.example.com`)
    expect(foreign.headers).not.to.have.property('access-control-allow-origin')
  })
})

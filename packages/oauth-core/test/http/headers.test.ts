import { expect } from 'chai'
import { HOST, METADATA, oauthServer } from '../oauth-server.ts'

describe('the headers of every answer', () => {
  it('are set', async () => {
    const { send, oauth } = await oauthServer()
    const others = ['/auth/nothing', '/nothing'].map((path) => ({ method: 'GET', path }))
    for (const { method, path } of [...oauth.rows, ...others]) {
      for (const each of [method, 'OPTIONS', 'HEAD', 'TRACE']) {
        const { headers } = await send(each, path.replace(/[:*]\w+/, 'x'))
        expect(headers, `${each} ${path}`).to.include({
          'x-content-type-options': 'nosniff',
          'strict-transport-security': 'max-age=31536000; includeSubDomains',
        })
        expect(headers).not.to.have.any.keys('x-powered-by', 'server')
        if (path.startsWith('/auth')) expect(headers['cache-control']).to.equal('no-store')
        if (headers['content-type'] !== undefined) {
          expect(headers['content-type']).to.match(/; charset=utf-8$/)
        }
      }
    }
  })

  it('have no HSTS when the base is http', async () => {
    const { send } = await oauthServer({ newInstance: { domain: 'alice.localhost:8080' } })
    const { status, headers, body } = await send('GET', '/.well-known/oauth-authorization-server', {
      host: 'alice.localhost:8080',
    })
    expect(status).to.equal(200)
    expect(body['issuer']).to.equal('http://alice.localhost:8080')
    expect(headers).not.to.have.property('strict-transport-security')
  })

  it('repeat nothing of the request', async () => {
    const { send } = await oauthServer()
    const mark = 'mark123'
    const { headers } = await send('POST', `/auth/register?${mark}`, {
      json: { ...METADATA, [mark]: mark },
      headers: { 'x-request-id': mark, 'x-forwarded-host': mark, 'x-http-method-override': 'PUT' },
    })
    expect(JSON.stringify(headers)).not.to.contain(mark)
    expect(HOST).not.to.contain(mark)
  })
})

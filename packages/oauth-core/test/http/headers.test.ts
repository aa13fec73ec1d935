import { expect } from 'chai'
import { HOST, METADATA, oauthServer } from '../oauth-server.ts'

describe('the headers of every answer', () => {
  const requests = [
    ['POST', '/auth/register'],
    ['GET', '/auth/register'],
    ['GET', '/auth/register/unknown'],
    ['DELETE', '/auth/register/unknown'],
    ['POST', '/auth/registerFromWebApp'],
    ['GET', '/auth/authorize'],
    ['POST', '/auth/access_token'],
    ['POST', '/auth/revoke'],
    ['GET', '/.well-known/oauth-authorization-server'],
    ['GET', '/auth/nothing'],
    ['GET', '/nothing'],
  ] as const

  for (const [method, path] of requests) {
    it(`of ${method} ${path} are set`, async () => {
      const { send } = await oauthServer()
      const { headers } = await send(method, path, method === 'POST' ? { json: METADATA } : {})
      expect(headers).to.include({
        'x-content-type-options': 'nosniff',
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
        'cross-origin-resource-policy': 'same-origin',
      })
      expect(headers).not.to.have.any.keys('x-powered-by', 'server')
      if (path.startsWith('/auth')) expect(headers['cache-control']).to.equal('no-store')
      if (headers['content-type'] !== undefined) {
        expect(headers['content-type']).to.match(/; charset=utf-8$/)
      }
    })
  }

  it('have no HSTS when the base is http', async () => {
    const { send } = await oauthServer({ newInstance: { domain: 'alice.localhost:8080' } })
    const { status, headers, body } = await send('GET', '/.well-known/oauth-authorization-server', {
      host: 'alice.localhost:8080',
    })
    expect(status).to.equal(200)
    expect(body['issuer']).to.equal('http://alice.localhost:8080')
    expect(headers).not.to.have.property('strict-transport-security')
  })

  it('never name a foreign origin', async () => {
    const { send, oauth } = await oauthServer()
    for (const { method, path } of oauth.rows) {
      const target = path.replace(':clientId', 'x')
      for (const each of [method, 'OPTIONS']) {
        const { headers } = await send(each, target, {
          headers: { origin: 'https://evil.example', 'access-control-request-method': method },
        })
        expect(headers, `${each} ${path}`).not.to.have.property('access-control-allow-credentials')
        expect(headers['access-control-allow-origin'] ?? '*').to.equal('*')
        const isForPublicClients = ['/auth/access_token', '/auth/revoke'].includes(path)
        if (path.startsWith('/auth/') && !(each === 'POST' && isForPublicClients)) {
          expect(headers).not.to.have.property('access-control-allow-origin')
        }
      }
    }
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

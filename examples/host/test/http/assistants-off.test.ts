import { expect } from 'chai'
import { connectAssistant } from '../../../../packages/auth-ui/test/support/assistant-flows.ts'
import { endAssistants } from '../../src/assistants/end-assistants.ts'
import { testHost } from '../support/for-test.ts'

/** @see assistants.md 7.1 */
describe('a host without assistants', () => {
  it('has no tools and no metadata of them, and registers nobody without a secret', async () => {
    const host = await testHost({ SVC_ASSISTANTS: 'off' })
    const browser = await host.browser(undefined, { anonymous: true })
    for (const path of ['', '/mcp', '/mcp/']) {
      const metadata = `/.well-known/oauth-protected-resource${path}`
      expect((await browser.get(metadata)).status).to.equal(404)
    }
    for (const path of ['/mcp', '/mcp/']) {
      for (const method of ['POST', 'GET', 'HEAD', 'DELETE']) {
        expect((await browser.request(method, path)).status, `${method} ${path}`).to.equal(404)
      }
    }
    const server = await browser.get('/.well-known/oauth-authorization-server')
    expect(server.text).to.not.include('client_id_metadata_document_supported')
    const registered = await browser.postJson('/auth/register', {
      client_name: 'Helper',
      redirect_uris: ['https://assistant.example/callback'],
      token_endpoint_auth_method: 'none',
    })
    expect(registered.status).to.equal(400)
  })

  it('ends what assistants were allowed before', async () => {
    const host = await testHost()
    const { refreshToken, id } = await connectAssistant(await host.browser())
    await endAssistants(host.host.app.oauth)
    const browser = await host.browser(undefined, { anonymous: true })
    const refused = await browser.post('/auth/access_token', {
      grant_type: 'refresh_token',
      client_id: id,
      refresh_token: refreshToken,
    })
    expect(refused.json<{ error: string }>().error).to.equal('invalid_grant')
    expect(host.log.filter(([event]) => event === 'assistants.ended')).to.deep.equal([
      ['assistants.ended', { count: 1, audit: true }],
    ])
  })
})

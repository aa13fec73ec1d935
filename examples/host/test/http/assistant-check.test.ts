import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { hostEnvironment, runSvc } from '../support/host-process.ts'

describe('svc assistant check', function () {
  this.timeout(60_000)
  const check = (...args: string[]) => runSvc(['assistant', 'check', ...args], hostEnvironment({}))

  it('says which rule an address breaks, and calls nobody', async () => {
    const { code, stdout } = await check('https://10.0.0.1/c')
    expect([code, stdout]).to.deep.equal([
      1,
      'The address cannot be the identifier of a client: host.\n',
    ])
  })

  it('says what a document holds, and what is wrong with it', async () => {
    let name: unknown = 'Client'
    const server = http.createServer((request, response) => {
      const url = `http://127.0.0.1:${port}${request.url}`
      response.setHeader('Content-Type', 'application/json')
      const redirect_uris = ['http://127.0.0.1/back', 'urn:ietf:wg:oauth:2.0:oob']
      response.end(JSON.stringify({ client_id: url, client_name: name, redirect_uris }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // A TCP server's address is an object; a string is only given for pipes.
    const { port } = server.address() as AddressInfo
    try {
      const url = `http://127.0.0.1:${port}/c`
      const good = await check(url, '--json')
      expect(good.code, good.stderr).to.equal(0)
      expect(JSON.parse(good.stdout)).to.deep.equal({
        url,
        document: {
          authentication: 'none',
          isRefreshing: true,
          name: 'Client',
          redirectUris: ['http://127.0.0.1/back'],
        },
        freshForS: 3600,
      })
      name = 7
      const bad = await check(url)
      expect([bad.code, bad.stdout]).to.deep.equal([
        1,
        'The document is not a valid description: client_name.\n',
      ])
    } finally {
      server.close()
      server.closeAllConnections()
    }
  })
})

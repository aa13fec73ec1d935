import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Store } from '@svc/store'
import { eachStore, type FakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { documentClientId } from '../../src/clients/client-document.ts'
import type { Answer } from '../oauth-server.ts'
import { authorizeFields, codeOf, tokensOf, VERIFIER } from '../client-steps.ts'
import { BASE, resourceServer } from '../resource-server.ts'
import { describedServers, makeSigner } from './described-servers.ts'
import { closedWay, documentAt } from './document-servers.ts'

eachStore((open) => {
  describe('clients that documents describe, with keys (assistants.md 2.12)', () => {
    const { start, serve, signed } = describedServers(open)

    it('prove it once for a code whose grant the owner changes meanwhile', async () => {
      const signer = makeSigner()
      let meanwhile: (() => Promise<unknown>) | undefined
      const openStore = async (clock: FakeClock): Promise<Store> => {
        const store = await open({ clock })
        const write = store.write.bind(store)
        const writeLate: Store['write'] = async (changes) => {
          const isExchange = JSON.stringify(changes).includes('"consumedAt"')
          const change = isExchange ? meanwhile : undefined
          if (isExchange) meanwhile = undefined
          await change?.()
          return write(changes)
        }
        return Object.assign(store, { write: writeLate })
      }
      const { server, url } = await start(signer.members, { openStore })
      const scope = 'io.svc.contacts:GET io.svc.notes:GET'
      const code = codeOf(await server.allow(url, { scope }))
      const { clients } = server.oauth
      const left = { scope: 'io.svc.notes:GET' }
      meanwhile = () => clients.changeAccess(server.instance, documentClientId(url), left)
      const tokens = tokensOf(await server.exchange(url, code, await signer.prove(server, url)))
      expect(meanwhile).to.equal(undefined)
      expect(tokens.scope).to.equal('io.svc.notes:GET')
    })

    it('prove by a key that they have, each time by another assertion', async () => {
      const { server, url, tokens, signer } = await signed()
      const used = await signer.prove(server, url)
      for (const proof of [
        {},
        { ...used, client_assertion_type: 'other' },
        await makeSigner().prove(server, url),
        await signer.prove(server, url, { aud: 'https://bob.example.com' }),
        await signer.prove(server, url, { aud: `${BASE}/auth/access_token` }),
        await signer.prove(server, url, { aud: [BASE, 'https://bob.example.com'] }),
      ]) {
        const answer = await server.refresh(url, tokens.refresh_token, proof)
        expect([answer.status, answer.body['error']]).to.deep.equal([401, 'invalid_client'])
      }
      const parallel = await Promise.all(
        Array.from({ length: 5 }, () => server.refresh(url, tokens.refresh_token, used)),
      )
      expect(parallel.map(({ status }) => status).toSorted()).to.deep.equal([
        200, 401, 401, 401, 401,
      ])
      const form = { client_id: url, token: tokens.refresh_token }
      expect((await server.send('POST', '/auth/revoke', { form })).status).to.equal(401)
      const proof = await signer.prove(server, url)
      const nameless = { token: 'x', ...(await signer.prove(server, url)) }
      const unknown = await server.send('POST', '/auth/revoke', { form: nameless })
      expect(unknown.status).to.equal(200)
      const end = await server.send('POST', '/auth/revoke', { form: { ...form, ...proof } })
      expect(end.status).to.equal(200)
    })

    describe('that may go without their key', () => {
      const refusal = (answer: Answer) => [answer.status, answer.body['error']]
      const INVALID = [401, 'invalid_client']

      async function optional() {
        const signer = makeSigner()
        const list = { token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'] }
        const { server, url } = await start({ ...signer.members, ...list })
        const codeFor = async () => codeOf(await server.allow(url))
        return { signer, server, url, codeFor, prove: () => signer.prove(server, url) }
      }

      it('connect, refresh and end by their identifier alone', async () => {
        const { server, url, codeFor, prove } = await optional()
        const first = tokensOf(await server.exchange(url, await codeFor()))
        const second = tokensOf(await server.refresh(url, first.refresh_token))
        const third = tokensOf(await server.refresh(url, second.refresh_token, await prove()))
        const form = { client_id: url, token: third.refresh_token }
        expect((await server.send('POST', '/auth/revoke', { form })).status).to.equal(200)
        expect(refusal(await server.refresh(url, third.refresh_token))).to.deep.equal([
          400,
          'invalid_grant',
        ])
      })

      it('are never taken without a key by one that does not hold', async () => {
        const { server, url, codeFor, prove } = await optional()
        const code = await codeFor()
        const good = await prove()
        for (const proof of [
          { ...good, client_assertion_type: 'other' },
          { ...good, client_assertion: 'x' },
          { ...good, client_assertion: undefined },
          await makeSigner().prove(server, url),
        ]) {
          expect(refusal(await server.exchange(url, code, proof))).to.deep.equal(INVALID)
        }
        expect((await server.exchange(url, code)).status).to.equal(200)
      })

      it('go on with a key once a code was exchanged with one', async () => {
        const { server, url, codeFor, prove } = await optional()
        const code = await codeFor()
        const first = tokensOf(await server.exchange(url, code, await prove()))
        const second = tokensOf(await server.refresh(url, first.refresh_token, await prove()))
        server.clock.advance(60_000)
        const third = tokensOf(await server.refresh(url, second.refresh_token, await prove()))
        server.clock.advance(60_000)
        // The current one, one that would end the grant, and the code once more.
        for (const { refresh_token } of [third, first]) {
          expect(refusal(await server.refresh(url, refresh_token))).to.deep.equal(INVALID)
        }
        expect(refusal(await server.exchange(url, code))).to.deep.equal(INVALID)
        for (const token of [third.refresh_token, third.access_token, second.refresh_token]) {
          const form = { client_id: url, token }
          const answer = await server.send('POST', '/auth/revoke', { form })
          expect(refusal(answer)).to.deep.equal(INVALID)
        }
        const bearer = { authorization: `Bearer ${third.access_token}` }
        expect((await server.send('GET', '/mcp', { headers: bearer })).status).to.equal(200)
        const last = await server.refresh(url, third.refresh_token, await prove())
        expect(last.status, last.text).to.equal(200)
        const form = { client_id: url, token: third.access_token, ...(await prove()) }
        expect((await server.send('POST', '/auth/revoke', { form })).status).to.equal(200)
        expect((await server.send('GET', '/mcp', { headers: bearer })).status).to.equal(401)
      })

      it('do not lose to one without a key what a parallel exchange with one got', async () => {
        const { server, url, codeFor, prove } = await optional()
        for (let round = 0; round < 5; round += 1) {
          const code = await codeFor()
          const proof = await prove()
          const [signedOne, bare] = await Promise.all([
            server.exchange(url, code, proof),
            server.exchange(url, code),
          ])
          if (signedOne.status !== 200) continue
          expect(refusal(bare)).to.deep.equal(INVALID)
          const { refresh_token } = tokensOf(signedOne)
          expect((await server.refresh(url, refresh_token, await prove())).status).to.equal(200)
        }
      })

      it('keep needing the key where grants are from before the document listed `none`', async () => {
        const { server, url, tokens, signer } = await signed()
        const list = { token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'] }
        serve({ ...signer.members, ...list })
        server.clock.advance(2 * 3_600_000)
        await server.ask(url)
        const bare = await server.refresh(url, tokens.refresh_token)
        expect(refusal(bare)).to.deep.equal(INVALID)
        const proof = await signer.prove(server, url)
        expect((await server.refresh(url, tokens.refresh_token, proof)).status).to.equal(200)
        const next = await server.connect(url)
        expect((await server.refresh(url, next.refresh_token)).status).to.equal(200)
      })
    })

    it('publish their keys on this machine in development (assistants.md 2.13)', async () => {
      const { members, prove } = makeSigner()
      const host = 'alice.localhost:8080'
      const asked: string[] = []
      const program = http.createServer((request, response) => {
        asked.push(request.url ?? '')
        const url = `http://localhost:${port}/c`
        const document = documentAt(url, {
          redirect_uris: ['http://127.0.0.1/back'],
          token_endpoint_auth_method: 'private_key_jwt',
          jwks_uri: `http://127.0.0.1:${port}/keys`,
        })
        response.setHeader('Content-Type', 'application/json')
        response.end(JSON.stringify(request.url === '/keys' ? members.jwks : document))
      })
      await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve))
      const { port } = program.address() as AddressInfo
      try {
        const server = await resourceServer({
          openStore: (clock) => open({ clock }),
          outbound: closedWay(),
          newInstance: { domain: host },
        })
        const url = `http://localhost:${port}/c`
        const redirect_uri = 'http://127.0.0.1:7777/back'
        const allowed = await server.send('POST', '/auth/authorize', {
          host,
          form: authorizeFields(url, { redirect_uri }),
          headers: { cookie: 'session=owner' },
        })
        const exchanged = await server.send('POST', '/auth/access_token', {
          host,
          form: {
            client_id: url,
            grant_type: 'authorization_code',
            code: codeOf(allowed),
            code_verifier: VERIFIER,
            ...(await prove(server, url, { aud: `http://${host}` })),
          },
        })
        expect(exchanged.status, exchanged.text).to.equal(200)
        expect(asked).to.deep.equal(['/c', '/keys'])
      } finally {
        program.close()
        program.closeAllConnections()
      }
    })
  })
})

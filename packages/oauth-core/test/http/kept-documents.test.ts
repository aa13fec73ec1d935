import { eachStore, until } from '@svc/testkit'
import { expect } from 'chai'
import { documentClientId } from '../../src/clients/client-document.ts'
import type { ClientId } from '../../src/index.ts'
import type { Answer, OAuthServer } from '../oauth-server.ts'
import { authorizeFields, claimsOf, codeOf, REDIRECT_URI, tokensOf } from '../client-steps.ts'
import { describedServers } from './described-servers.ts'
import { documentAt, HOST } from './document-servers.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

eachStore((open) => {
  describe('documents behind a wall (assistants.md 2.7, 2.8)', () => {
    const { documents, start, serve } = describedServers(open)
    /** What today's walls answer. */
    function bar(status: number): void {
      documents().answer = (_request, response) => {
        response.statusCode = status
        response.setHeader('cf-mitigated', 'challenge')
        response.setHeader('Content-Type', 'text/html')
        response.end('<title>Just a moment...</title>')
      }
    }

    async function connected() {
      const { server, url } = await start({}, { start: true })
      const tokens = await server.connect(url, { duration: '30d' })
      const readAt = (await stored(server, url))?.document?.fetchedAt
      server.clock.advance(2 * HOUR)
      return { server, url, tokens, readAt }
    }

    function stored({ oauth, instance }: OAuthServer, url: string) {
      return oauth.clients.get(instance, documentClientId(url))
    }

    const said = async (asking: Promise<Answer>): Promise<string> => {
      const { status, text } = await asking
      return `${status} ${text}`
    }

    for (const status of [403, 408, 425, 429, 500, 503]) {
      it(`connect again an owner who allowed the client before, when it answers ${status}`, async () => {
        const { server, url, readAt } = await connected()
        bar(status)
        expect((await server.ask(url)).status).to.equal(200)
        expect(server.shown.at(-1)?.checkedAt).to.equal(readAt)
        expect(server.shown.at(-1)?.client.document?.url).to.equal(url)
        const tokens = await server.connect(url)
        expect(claimsOf(tokens.access_token)['sub']).to.equal(url)
        expect((await server.refresh(url, tokens.refresh_token)).status).to.equal(200)
        expect((await stored(server, url))?.document?.fetchedAt).to.equal(readAt)
        const refused = server.logged.find((line) => line.includes('cimd.refused'))
        expect(refused).to.include(`"status":${status}`).and.include(`"host":"${HOST}"`)
      })
    }

    it('connect again when nothing answers', async () => {
      const { server, url } = await connected()
      documents().answer = (_request, response) => void response.destroy()
      expect((await server.connect(url)).scope).to.equal('io.svc.contacts:GET')
    })

    it('do not when the document is gone, moved, or says something else', async () => {
      const { server, url } = await connected()
      for (const status of [301, 401, 404, 410]) {
        bar(status)
        expect(await said(server.ask(url))).to.equal(`400 <p>${HOST} answered ${status}`)
      }
      for (const members of [{ client_id: 'https://other.example/c' }, { client_name: 7 }]) {
        serve(members)
        expect(await said(server.ask(url))).to.equal(`400 <p>${HOST} is not a valid description`)
      }
      bar(200)
      expect((await server.ask(url)).status).to.equal(400)
    })

    it('lead to no return address that was not read, and say nothing of a wall when read anew', async () => {
      const { server, url } = await connected()
      bar(403)
      const other = { redirect_uri: 'https://other.example/back' }
      expect(await said(server.ask(url, other))).to.equal(
        `400 <p>${HOST} does not list this return address`,
      )
      serve({ redirect_uris: [REDIRECT_URI, 'https://other.example/back'] })
      expect((await server.ask(url, other)).status).to.equal(200)
      expect(server.shown.at(-1)).not.to.have.property('checkedAt')
    })

    it('are those of one owner: nobody else has them', async () => {
      const { server, url } = await connected()
      bar(403)
      await server.oauth.instances.create({ domain: 'bob.example.com' })
      const query = new URLSearchParams(authorizeFields(url)).toString()
      const answer = await server.send('GET', `/auth/authorize?${query}`, {
        host: 'bob.example.com',
        headers: { cookie: 'session=owner' },
      })
      expect(`${answer.status} ${answer.text}`).to.equal(`400 <p>${HOST} answered 403`)
      // Allowed is not what was only looked at.
      const first = documents().url('/first')
      expect((await server.ask(first)).status).to.equal(400)
    })

    it('are kept for 14 days after they were read well, also without access', async () => {
      const { server, url, tokens, readAt = 0 } = await connected()
      const form = { client_id: url, token: tokens.refresh_token }
      await server.send('POST', '/auth/revoke', { form })
      server.clock.advance(HOUR + 60_000)
      await until(async () => (await stored(server, url)) === undefined)
      bar(403)
      server.clock.advance(readAt + 14 * DAY - 60_000 - server.clock.now())
      expect((await server.ask(url)).status).to.equal(200)
      expect(server.shown.at(-1)?.checkedAt).to.equal(readAt)
      const code = codeOf(await server.allow(url))
      expect((await server.exchange(url, code)).status).to.equal(200)
      expect((await stored(server, url))?.document?.fetchedAt).to.equal(readAt)
      server.clock.advance(2 * 60_000)
      expect(await said(server.ask(url))).to.equal(`400 <p>${HOST} answered 403`)
    })

    it('go with a client that its owner removes', async () => {
      const { server, url, tokens } = await connected()
      const form = { client_id: url, token: tokens.refresh_token }
      await server.send('POST', '/auth/revoke', { form })
      server.clock.advance(HOUR + 60_000)
      await until(async () => (await stored(server, url)) === undefined)
      await server.connect(url)
      const id = documentClientId(url) as ClientId
      await server.oauth.clients.revoke(server.instance, id, 'settings')
      bar(403)
      server.clock.advance(2 * HOUR)
      expect((await server.ask(url)).status).to.equal(400)
    })

    describe('of which the operator keeps a copy', () => {
      const textOf = (members: object = {}) =>
        JSON.stringify(documentAt(documents().url(), { redirect_uris: [REDIRECT_URI], ...members }))

      async function walled() {
        const started = await start({}, { start: true })
        bar(403)
        return started
      }

      it('connect for the first time', async () => {
        const { server, url } = await walled()
        const { assistants } = server.oauth
        expect((await server.ask(url)).status).to.equal(400)
        expect(await assistants.keepDocument(url, textOf())).to.deep.include({ url })
        const keptAt = server.clock.now()
        server.clock.advance(DAY)
        expect((await server.ask(url)).status).to.equal(200)
        expect(server.shown.at(-1)?.checkedAt).to.be.within(keptAt - 1000, keptAt)
        const tokens = await server.connect(url)
        let current = tokensOf(await server.refresh(url, tokens.refresh_token)).refresh_token
        expect(await assistants.keptDocuments()).to.have.length(1)
        expect(await assistants.dropDocument(url)).to.equal(true)
        expect(await assistants.dropDocument(url)).to.equal(false)
        expect(await assistants.keptDocuments()).to.deep.equal([])
        // Its owner has the snapshot still.
        expect((await server.ask(url)).status).to.equal(200)
        const answer = await server.refresh(url, current)
        current = tokensOf(answer).refresh_token
      })

      it('are checked like one that is fetched', async () => {
        const { server, url } = await walled()
        const { assistants } = server.oauth
        for (const [address, text, fault] of [
          [url, textOf({ client_id: 'https://other.example/c' }), 'client_id'],
          [url, textOf({ client_secret: 'x' }), 'client_secret'],
          [url, textOf({ redirect_uris: ['http://other.example/'] }), 'redirect_uris'],
          [url, textOf({ extra: 'x'.repeat(5120) }), 'too_large'],
          [url, '{', 'json'],
          [url, textOf().replace('{', '{"client_name":"Other",'), 'member_twice'],
          ['https://10.0.0.1/c', textOf(), 'host'],
          [`${url}?x`, textOf(), 'query'],
        ] as const) {
          const report = await assistants.keepDocument(address, text)
          expect(report.fault, text.slice(0, 80)).to.equal(fault)
        }
        expect(await assistants.keptDocuments()).to.deep.equal([])
        expect((await server.ask(url)).status).to.equal(400)
      })

      it('are replaced by the next one that is fetched, and not used where it is gone', async () => {
        const { server, url } = await walled()
        const { assistants } = server.oauth
        await assistants.keepDocument(url, textOf({ client_name: 'Copy' }))
        await server.ask(url)
        expect(server.shown.at(-1)?.client.metadata.client_name).to.equal('Copy')
        serve({ client_name: 'Fetched' })
        await server.ask(url)
        expect(server.shown.at(-1)?.client.metadata.client_name).to.equal('Fetched')
        expect(server.shown.at(-1)).not.to.have.property('checkedAt')
        expect((await assistants.keptDocuments()).map(({ name }) => name)).to.deep.equal([
          'Fetched',
        ])
        bar(403)
        server.clock.advance(2 * HOUR)
        await server.ask(url)
        expect(server.shown.at(-1)?.client.metadata.client_name).to.equal('Fetched')
        bar(404)
        expect(await said(server.ask(url))).to.equal(`400 <p>${HOST} answered 404`)
      })

      it('stand for it however often it is looked up', async () => {
        const { server, url } = await walled()
        await server.oauth.assistants.keepDocument(url, textOf())
        for (let at = 0; at < 25; at += 1) {
          expect((await server.ask(url)).status, `look ${at}`).to.equal(200)
        }
        expect(documents().requests.length).to.be.at.most(20)
      })

      it('keep nobody in whose host the operator denies', async () => {
        const { server, url } = await start({}, { assistants: { clientHostsDenied: [HOST] } })
        await server.oauth.assistants.keepDocument(url, textOf())
        expect((await server.ask(url)).status).to.equal(403)
      })
    })
  })
})

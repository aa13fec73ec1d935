import { eachStore, until, scaledLimit } from '@svc/testkit'
import { type AttestationPlatforms, makePlatforms, makeSafetyNet } from '@svc/testkit/attestation'
import { expect } from 'chai'
import { type OAuthServer } from '../oauth-server.ts'
import { askForEverything, isFlagship } from './certification-steps.ts'
import { inParallel, MANY, PARALLEL, twoProcesses } from './two-processes.ts'

eachStore((open, name) => {
  let platforms: AttestationPlatforms
  before(async () => {
    platforms = await makePlatforms()
  })

  const processes = () =>
    twoProcesses(open, name, {
      flagship: platforms.flagship,
      limits: { attestation: MANY, 'confirm-flagship': MANY, 'oauth-client': MANY },
    })

  const statusesOf = (answers: readonly { readonly status: number }[]): number[] =>
    answers.map(({ status }) => status).sort()

  describe('a mark that is withdrawn in one process', () => {
    it('means nothing in the other at the next call', async () => {
      const servers = await processes()
      const { oauth, instance } = servers[0]
      const client = await servers[0].register()
      await oauth.clients.setFlagship(instance, client.id, true)
      const tokens = await oauth.clients.issueFlagshipTokens(instance, client.id)
      const headers = servers[1].bearer(tokens?.access_token ?? '')
      const call = () => servers[1].send('POST', '/auth/tokens/konnectors/none', { headers })
      // Let through, to a konnector that nobody has.
      expect((await call()).status).to.equal(404)
      await oauth.clients.setFlagship(instance, client.id, false)
      const start = performance.now()
      await until(async () => (await call()).status === 401)
      expect(performance.now() - start, 'milliseconds').to.be.below(scaledLimit(1000))
    })
  })

  describe('parallel requests', () => {
    it('with one nonce certify exactly once', async () => {
      const servers = await processes()
      const client = await servers[0].register()
      const headers = servers[0].bearer(client.token)
      const path = `/auth/clients/${client.id}`
      const { body } = await servers[1].send('POST', `${path}/challenge`, { headers })
      const challenge = String(body['nonce'])
      const now = servers[0].clock.now()
      const json = {
        platform: 'android',
        ...(await makeSafetyNet(platforms, { challenge, now })),
      }
      const answers = await inParallel(servers, (server) =>
        server.send('POST', `${path}/attestation`, { json }),
      )
      expect(statusesOf(answers)).to.deep.equal([204, ...Array<number>(PARALLEL - 1).fill(400)])
      for (const answer of answers.filter(({ status }) => status === 400)) {
        expect(answer.body).to.deep.equal({ error: 'invalid challenge' })
      }
      expect(await isFlagship(servers[1], client)).to.equal(true)
    })

    it('with one mailed code certify exactly once', async () => {
      const servers = await processes()
      const client = await servers[0].register()
      const { token } = await askForEverything(servers[0], client)
      const form = { token, code: servers[0].mailedCodes[0] ?? '' }
      // No more than its five tries.
      const path = `/auth/clients/${client.id}/flagship`
      const answers = await inParallel(servers, (server) => server.send('POST', path, { form }), 5)
      expect(statusesOf(answers)).to.deep.equal([204, 401, 401, 401, 401])
      expect(await isFlagship(servers[1], client)).to.equal(true)
    })

    it('that guess a code get no more than five tries', async () => {
      const servers = await processes()
      const client = await servers[0].register()
      const { token } = await askForEverything(servers[0], client)
      const right = servers[0].mailedCodes[0] ?? ''
      const wrong = right === '111111' ? '222222' : '111111'
      const post = (server: OAuthServer, code: string) =>
        server.send('POST', `/auth/clients/${client.id}/flagship`, { form: { token, code } })
      const answers = await inParallel(servers, (server) => post(server, wrong))
      expect(new Set(statusesOf(answers))).to.deep.equal(new Set([401]))
      expect((await post(servers[1], right)).status).to.equal(401)
      expect(await isFlagship(servers[0], client)).to.equal(false)
    })

    it('for the page of a code mail one, and show its form', async () => {
      const servers = await processes()
      const client = await servers[0].register()
      const pages = await inParallel(servers, (server) => askForEverything(server, client))
      const mailed = new Set(servers.flatMap(({ mailedCodes }) => mailedCodes))
      expect(mailed.size).to.equal(1)
      expect(new Set(pages.map(({ token }) => token)).size).to.equal(1)
      expect(pages[0]?.token).to.not.equal('')
    })
  })
})

import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { SealingKeyError } from '@svc/platform'
import { oauthServer } from '../oauth-server.ts'

const keyring = (kid: string) => [{ kid, key: randomBytes(32) }]

/** @see decision 0211 */
describe('a process whose keyring does not open what another one sealed', () => {
  for (const [what, kid, reason] of [
    ['another name', 'theirs', 'sealed with a key that is not in the keyring: theirs'],
    ['the same name', 'ours', 'does not open with the key of that name: ours'],
  ] as const) {
    it(`answers 503 and logs which key it was, one of ${what}`, async () => {
      const first = await oauthServer({ keys: keyring(kid) })
      const { id, secret } = await first.register()
      const { store, clock } = first
      const second = await oauthServer({
        store,
        clock,
        keys: keyring('ours'),
        isSecondProcess: true,
        mayCrash: true,
      })
      const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: id }
      const answer = await second.send('POST', '/auth/access_token', {
        form: { ...form, client_secret: secret },
      })
      expect(answer.status).to.equal(503)
      expect(answer.body).to.include({ error: 'keys_unavailable' })
      expect(answer.headers['retry-after']).to.match(/^\d+$/)
      const named = second.logged.find((line) => line.includes('keys.open_failed'))
      expect(named).to.include(kid)
      expect(second.logged.join('\n')).to.include(reason).and.not.include('request.crashed')
    })
  }

  it('does not start', async () => {
    const { store, clock, oauth } = await oauthServer({ keys: keyring('theirs') })
    await oauth.start()
    const second = await oauthServer({
      store,
      clock,
      keys: keyring('ours'),
      isSecondProcess: true,
    })
    const error = await second.oauth.start().catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(SealingKeyError)
    expect(error).to.include({ code: 'sealing_key_missing', kid: 'theirs' })
  })
})

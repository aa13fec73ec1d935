import { anyStore } from '@svc/testkit'
import { expect } from 'chai'
import webPush from 'web-push'
import { closeServers, startNotify } from '../../support/notify-server.ts'

const PATH = '/notifications/push_key'
const KEYS = webPush.generateVAPIDKeys()

// D37; rules-statuses.test.ts has it off.
describe('GET /notifications/push_key', () => {
  anyStore((open) => {
    afterEach(closeServers)
    const start = () => {
      const webpush = { ...KEYS, subject: 'mailto:a@b.example' }
      return startNotify({ store: (clock) => open({ clock }), isIdle: true, webpush })
    }

    it('answers the key that browsers subscribe with, to anybody', async () => {
      const { status, headers, json } = await (await start()).send('GET', PATH)
      expect(status).to.equal(200)
      expect(headers['content-type']).to.equal('application/vnd.api+json')
      expect(json).to.deep.equal({
        data: {
          type: 'io.svc.notifications.push_keys',
          id: 'webpush',
          attributes: { public_key: KEYS.publicKey },
        },
      })
    })

    it('is open to other origins, with credentials to the own apps alone (D28)', async () => {
      const server = await start()
      const get = async (origin: string) =>
        (await server.send('GET', PATH, { headers: { origin } })).headers
      const strange = await get('https://elsewhere.example')
      expect(strange['access-control-allow-origin']).to.equal('*')
      expect(strange).not.to.have.property('access-control-allow-credentials')
      expect(await get('https://home.alice.example.com')).to.include({
        'access-control-allow-origin': 'https://home.alice.example.com',
        'access-control-allow-credentials': 'true',
      })
    })
  })
})

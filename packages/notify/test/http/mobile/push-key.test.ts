import { bindRoutes } from '@svc/platform'
import { sqliteStore } from '@svc/store/sqlite'
import { fakeClock, type Listening, listen, recordStatuses } from '@svc/testkit'
import { expect } from 'chai'
import http from 'node:http'
import Koa from 'koa'
import webPush from 'web-push'
import { pushKeyRoute } from '../../../src/channels/mobile/push-key.ts'
import { openOwnerDevices, type OwnerDevices } from '../../support/owner-devices.ts'

const { publicKey } = webPush.generateVAPIDKeys()

interface Answer {
  readonly status: number | undefined
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

// D37
describe('GET /notifications/push_key', () => {
  const statuses = recordStatuses()
  const closing: (() => Promise<void>)[] = []
  after(() => expect(statuses.undeclared()).to.deep.equal([]))
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })

  async function serve(webpush: { publicKey: string } | undefined): Promise<Listening> {
    const clock = fakeClock()
    const store = sqliteStore({ file: ':memory:', clock })
    const owner: OwnerDevices = await openOwnerDevices(store, clock)
    const app = new Koa()
    app.use(statuses.middleware as Koa.Middleware)
    app.use(owner.oauth.resolveInstance())
    app.use(owner.oauth.mount(bindRoutes([pushKeyRoute], { webpush, namespace: 'io.svc' })))
    const listening = await listen(app)
    closing.push(listening.close, owner.close, () => store.close())
    return listening
  }

  const get = ({ port }: Listening, origin?: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = { host: 'alice.example.com', ...(origin !== undefined && { origin }) }
      const options = { host: '127.0.0.1', port, path: '/notifications/push_key', headers }
      http
        .get({ ...options, agent: false }, (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.once('end', () => {
            const text = Buffer.concat(chunks).toString()
            resolve({ status: response.statusCode, headers: response.headers, text })
          })
        })
        .once('error', reject)
    })

  it('answers the key that browsers subscribe with, to anybody', async () => {
    const { status, headers, text } = await get(await serve({ publicKey }))
    expect(status).to.equal(200)
    expect(headers['content-type']).to.equal('application/vnd.api+json')
    expect(JSON.parse(text)).to.deep.equal({
      data: {
        type: 'io.svc.notifications.push_keys',
        id: 'webpush',
        attributes: { public_key: publicKey },
      },
    })
  })

  it('is open to other origins, with credentials to the own apps alone (D28)', async () => {
    const server = await serve({ publicKey })
    const strange = await get(server, 'https://elsewhere.example')
    expect(strange.headers['access-control-allow-origin']).to.equal('*')
    expect(strange.headers).not.to.have.property('access-control-allow-credentials')
    const own = await get(server, 'https://drive.alice.example.com')
    expect(own.headers['access-control-allow-origin']).to.equal('https://drive.alice.example.com')
    expect(own.headers['access-control-allow-credentials']).to.equal('true')
  })

  it('answers 404 when web push is off', async () => {
    const { status, text } = await get(await serve(undefined))
    expect(status).to.equal(404)
    expect(JSON.parse(text).errors[0]).to.deep.include({ status: '404', code: 'not_found' })
  })
})

import { expect } from 'chai'
import { createDocumentStore } from '../../src/documents/document-store.ts'
import { suiteHost } from '../support/for-test.ts'

for (const namespace of ['io.svc', 'io.cozy']) {
  describe(`types that only the server tells of, below ${namespace}`, () => {
    const host = suiteHost({ SVC_NAMESPACE: namespace })
    let token: string
    let events: { readonly verb: string; readonly type: string }[]

    const confirmations = `${namespace}.auth.confirmations`
    const types = [
      confirmations,
      `${namespace}.notifications`,
      `${namespace}.oauth.clients`,
      `${namespace}.settings.factors`,
    ]

    before(async () => {
      token = (await host.connect([...types, `${namespace}.accounts`].join(' '))).token
      host.host.app.realtime.onLocalEvent((event) => events.push(event))
    })
    beforeEach(() => {
      events = []
    })

    const call = (method: string, path: string, json?: unknown) =>
      host.call(token, method, path, json)

    for (const type of types) {
      const refused: readonly (readonly [string, string, unknown])[] = [
        ['POST', `/data/${type}`, {}],
        ['PUT', `/data/${type}/state`, {}],
        ['DELETE', `/data/${type}/stored`, undefined],
        ['POST', `/realtime/${type}/state`, {}],
      ]
      for (const [method, path, body] of refused) {
        it(`answers 403 to ${method} ${path}, and tells nobody`, async () => {
          const { store } = host.host
          const stored = { type, id: 'stored', fields: {} }
          await createDocumentStore(store).put(host.instance, stored, 'any')
          const answer = await call(method, path, body)
          expect(answer.status).to.equal(403)
          expect(answer.text).to.include(`reserved doctype ${type} un`)
          expect(events).to.deep.equal([])
        })
      }
    }

    it('lets them be read', async () => {
      expect((await call('GET', `/data/${confirmations}/none`)).status).to.equal(404)
    })

    it('leaves the event by which windows of accounts tell their opener', async () => {
      const answer = await call('POST', `/realtime/${namespace}.accounts/oauth-popup`, { data: {} })
      expect(answer.status).to.equal(204)
      const [{ verb, type } = { verb: '', type: '' }] = events
      expect([verb, type]).to.deep.equal(['NOTIFIED', `${namespace}.accounts`])
    })
  })
}

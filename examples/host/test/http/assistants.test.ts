import type { BrowserClient } from '@svc/testkit'
import { expect } from 'chai'
import { createDocumentStore } from '../../src/documents/document-store.ts'
import {
  callTool,
  connectAssistant,
  type ConnectedAssistant,
} from '../support/connected-assistant.ts'
import { suiteHost } from '../support/for-test.ts'

const NOTES = 'io.svc.notes'
const BOTH = `${NOTES}:GET ${NOTES}:POST`

describe('/mcp of the host', () => {
  const host = suiteHost()
  let browser: BrowserClient
  const clients: string[] = []

  before(async () => {
    browser = await host.browser(undefined, { anonymous: true })
    const documents = createDocumentStore(host.host.store)
    const put = (id: string, fields: Record<string, string>) =>
      documents.put(host.instance, { type: NOTES, id, fields }, 'any')
    await put('garden', { title: 'Garden', text: 'Buy tulips', updatedAt: '2026-01-02T03:04:05Z' })
    for (const id of ['aside', 'beyond']) await put(id, { title: id })
    await put('bank', { title: 'Bank', text: 'Sell' })
    await documents.put(
      host.instance,
      { type: 'io.svc.safe.secrets', id: 'pin', fields: { title: 'PIN', text: 'tulips' } },
      'any',
    )
  })

  async function connect(scope: string): Promise<ConnectedAssistant> {
    const assistant = await connectAssistant(host, scope)
    clients.push(assistant.id)
    return assistant
  }

  it('is found by who knows only its address', async () => {
    const metadata = await browser.get('/.well-known/oauth-protected-resource/mcp')
    expect(metadata.json()).to.deep.include({
      resource: `${host.instance.origin}/mcp`,
      scopes_supported: ['io.svc.contacts:GET', 'io.svc.notes:GET'],
    })
    expect((await callTool(host, 'x', 'list_kinds')).status).to.equal(401)
  })

  it('gives the documents of the kinds that the owner allowed, and no others', async () => {
    const assistant = await connect(`${NOTES}:GET`)
    expect(await assistant.result('list_kinds')).to.deep.equal({
      kinds: [{ kind: NOTES, name: 'Notes', allowed: ['Read your notes'], verbs: ['GET'] }],
    })
    expect(await assistant.result('search', { query: 'tulips' })).to.have.deep.property('results', [
      {
        id: `${NOTES}/garden`,
        title: 'Garden',
        url: host.instance.origin,
        kind: NOTES,
        excerpt: 'title: Garden text: Buy tulips updatedAt: 2026-01-02T03:04:05Z',
      },
    ])
    expect(await assistant.result('fetch', { id: `${NOTES}/garden` })).to.have.nested.property(
      'metadata.changedAt',
      '2026-01-02T03:04:05Z',
    )
    for (const id of ['io.svc.safe.secrets/pin', `${NOTES}/nothing`, 'io.svc.accounts/x']) {
      expect(await assistant.result('fetch', { id })).to.have.property('code', 'not_found')
    }
  })

  it('gives of a kind only the documents that a rule names', async () => {
    const assistant = await connect(`${NOTES}:GET:bank`)
    expect(await assistant.result('list', { kind: NOTES })).to.have.deep.property('documents', [
      { id: `${NOTES}/bank`, title: 'Bank' },
    ])
    expect(await assistant.result('search', { query: 'tulips' })).to.have.deep.property(
      'results',
      [],
    )
    const hidden = await assistant.result('fetch', { id: `${NOTES}/garden` })
    expect(hidden).to.have.property('code', 'not_found')
  })

  it('tells a rule that names documents nothing of the others, not even how many there are', async () => {
    const assistant = await connect(`${NOTES}:GET:garden,nothing,${'x'.repeat(600)},bank`)
    const pages: unknown[] = []
    let cursor: string | undefined
    do {
      const given = { kind: NOTES, limit: 1, ...(cursor !== undefined && { cursor }) }
      const page = (await assistant.result('list', given)) as {
        documents: { id: string }[]
        cursor?: string
      }
      pages.push(page.documents.map(({ id }) => id))
      // Neither as it is nor taken apart.
      const said = Buffer.from(page.cursor ?? '', 'base64url').toString()
      expect(`${page.cursor} ${said}`).not.to.match(/aside|beyond|document/)
      cursor = page.cursor
    } while (cursor !== undefined)
    // One that is named and does not exist may stand between two that do.
    expect(pages.flat()).to.deep.equal([`${NOTES}/bank`, `${NOTES}/garden`])
    expect(await assistant.result('search', { query: 'tulips' })).to.have.property('complete', true)
    const odd = await assistant.result('list', { kind: NOTES, cursor: 'no cursor' })
    expect(odd).to.have.property('code', 'not_found')
  })

  it('counts the grants that are live', async () => {
    await connect(`${NOTES}:GET`)
    const { text } = await host.host.app.metrics.render()
    expect(text).to.match(new RegExp(`^svc_mcp_grants ${clients.length}$`, 'm'))
  })

  it('creates a document once for a key, tells subscribers, and lists the write', async () => {
    const told: unknown[] = []
    const assistant = await connect(BOTH)
    // Its owner is told of the assistant meanwhile.
    const end = host.host.app.realtime.onLocalEvent((event) => {
      if (event.type === NOTES) told.push(event)
    })
    const given = { kind: NOTES, fields: { title: 'New', text: 'Call Bob' }, key: 'k1' }
    const made = (await assistant.result('create', given)) as { id: string; revision: string }
    expect(await assistant.result('create', given)).to.deep.equal(made)
    const other = { ...given, fields: { title: 'Other' } }
    expect(await assistant.result('create', other)).to.have.property('code', 'conflict')
    end()
    expect(told).to.have.lengthOf(1)
    const id = made.id.slice(NOTES.length + 1)
    const stored = await createDocumentStore(host.host.store).get(host.instance, NOTES, id)
    expect(stored).to.deep.include({ rev: made.revision, fields: given.fields })
    const { oauth } = host.host.app
    const calls = await Promise.all(
      clients.map((client) => oauth.assistants.listCalls(host.instance, client)),
    )
    const writes = calls.flatMap((page) => page.calls).filter(({ tool }) => tool === 'create')
    expect(writes.map((one) => [one.outcome, one.writes])).to.deep.equal([
      ['conflict', undefined],
      ['ok', undefined],
      ['ok', [{ id: made.id, revision: made.revision }]],
    ])
  })
})

import type { Instance } from '@svc/platform'
import type { BrowserClient } from '@svc/testkit'
import { expect } from 'chai'
import { refusalOf } from '../support/refusal.ts'
import { addResource, connectAssistant } from '../support/assistant-flows.ts'
import { type KeptChanges, keptChanges } from '../support/kept-changes.ts'
import { ask, startWithSettings } from '../support/settings-server.ts'
import { ALICE, createAlice, logIn, type UiServer } from '../support/ui-server.ts'

interface Page {
  readonly data: readonly { readonly id: string; readonly attributes: Record<string, unknown> }[]
  readonly links: { readonly next?: string }
  readonly meta: { readonly changed?: boolean }
}

const CHANGES = '/settings/assistants/changes'

describe('what assistants changed, in the settings', () => {
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance
  let kept: KeptChanges

  async function start(keeps: boolean): Promise<void> {
    kept = keptChanges(() => server.store)
    server = await startWithSettings({ notes: true, ui: keeps ? { assistantChanges: kept } : {} })
    addResource(server)
    ;({ instance } = await createAlice(server))
    browser = server.browser(ALICE)
    await logIn(browser)
  }

  const get = async (path: string): Promise<Page> => (await ask(browser, 'GET', path)).json<Page>()
  const putBack = async (client: string, change: string, body?: object): Promise<number> => {
    const path = `/settings/assistants/${client}/activity/${change}/put-back`
    return (await ask(browser, 'POST', path, body)).status
  }

  it('is put back once, of presses that come at once, and noted for the owner', async () => {
    await start(true)
    const { id } = await connectAssistant(browser)
    kept.add({ id: 'r1', clientId: id })
    const statuses = await Promise.all(
      Array.from({ length: 5 }, () => putBack(id, 'r1', { overwrites: false })),
    )
    expect(statuses.toSorted()).to.deep.equal([204, 404, 404, 404, 404])
    const noted = server.events.filter(({ event }) => event === 'assistant.undone')
    expect(noted).to.have.lengthOf(1)
    expect(noted[0]).to.deep.include({ target: { kind: 'client', id, name: 'Helper' } })
    expect(noted[0]?.actor).to.deep.equal({ kind: 'owner' })
  })

  it('is put back over the work of others only when the owner says so', async () => {
    await start(true)
    const { id } = await connectAssistant(browser)
    kept.add({ id: 'r1', clientId: id })
    kept.changeSince('r1')
    const path = `/settings/assistants/${id}/activity/r1/put-back`
    const refused = await ask(browser, 'POST', path)
    expect(refusalOf(refused)).to.equal('409 changed_since')
    expect(await putBack(id, 'r1', { overwrites: 'yes' })).to.equal(400)
    expect(await putBack('another', 'r1', { overwrites: true })).to.equal(404)
    expect(await putBack(id, 'r1', { overwrites: true })).to.equal(204)
  })

  it('stands beside the calls that did it, and in a list that has those of former assistants', async () => {
    await start(true)
    const { id } = await connectAssistant(browser)
    const call = { instance: instance.id, grantId: 'g', clientId: id, documents: 1, bytes: 5 }
    const writes = [{ id: 'io.svc.contacts/bob', revision: 'r2', before: 'r1' }]
    await server.oauth.assistants.recordCall({ ...call, tool: 'update', outcome: 'ok', writes })
    await server.oauth.assistants.recordCall({ ...call, tool: 'fetch', outcome: 'ok' })
    expect((await get('/settings/assistants')).meta).not.to.have.property('changed')
    kept.add({ id: 'r1', clientId: id, isDeleted: true })
    for (let n = 0; n < 25; n += 1) kept.add({ id: `x${n}`, clientId: 'gone', clientName: 'Sage' })
    const { data } = await get(`/settings/assistants/${id}/activity`)
    const shown = { title: 'Bob', is_deleted: true, is_back: false }
    expect(data.map(({ attributes }) => attributes['change'])).to.deep.equal([
      undefined,
      { id: 'r1', ...shown },
    ])
    expect((await get('/settings/assistants')).meta.changed).to.equal(true)
    const first = await get(CHANGES)
    expect(first.data).to.have.lengthOf(25)
    expect(first.data[0]?.attributes).to.deep.include({
      assistant: { id: 'gone', name: 'Sage' },
      kind: 'Contacts',
      time: '1970-01-01T00:00:00.000Z',
    })
    const second = await get(first.links.next ?? '')
    expect(second.data.map((one) => one.id)).to.deep.equal(['r1'])
    expect(second.data[0]?.attributes).to.deep.include(shown)
    expect(second.links).to.deep.equal({})
    expect((await ask(browser, 'GET', `${CHANGES}?cursor=x`)).status).to.equal(400)
  })

  it('is nothing where the host keeps none of it', async () => {
    await start(false)
    const { id } = await connectAssistant(browser)
    expect((await get(CHANGES)).data).to.deep.equal([])
    expect(await putBack(id, 'r1')).to.equal(404)
  })
})

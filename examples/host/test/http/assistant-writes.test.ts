import type { Instance } from '@svc/platform'
import { parseExact } from '@svc/store'
import type { BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { createDocumentStore, type Fields } from '../../src/documents/document-store.ts'
import { type ConnectedAssistant, connectAssistant } from '../support/connected-assistant.ts'
import { suiteHost } from '../support/for-test.ts'

const NOTES = 'io.svc.notes'
const ALL = ['GET', 'POST', 'PUT', 'DELETE'].map((verb) => `${NOTES}:${verb}`).join(' ')
const TEXT = { title: 'Garden', text: 'Buy tulips', tags: ['spring'] }

describe('what assistants change on the host', () => {
  const host = suiteHost()
  let instance: Instance
  let assistant: ConnectedAssistant
  let settings: (method: string, path: string, body?: unknown) => Promise<BrowserResponse>

  before(async () => {
    ;({ instance } = host)
    assistant = await connectAssistant(host, ALL)
    const access = await host.appToken('settings')
    settings = (method, path, body) => host.call(access, method, path, body)
  })
  const documents = () => createDocumentStore(host.host.store)
  const stored = (id: string) => documents().get(instance, NOTES, id)

  /** The owner writes a note. @returns its revision */
  async function write(id: string, fields: Fields = TEXT): Promise<string> {
    const revision = await documents().put(instance, { type: NOTES, id, fields }, 'any')
    if (revision === undefined) throw new Error(`${id} was not written`)
    return revision
  }

  async function update(id: string, revision: string, fields: object): Promise<string> {
    const given = { id: `${NOTES}/${id}`, revision, fields }
    const found = (await assistant.result('update', given)) as { revision?: string }
    expect(found).to.have.property('revision')
    return found.revision ?? ''
  }

  const remove = (id: string, revision: string) =>
    assistant.result('delete', { id: `${NOTES}/${id}`, revision })

  /** The change that the last call of the assistant made, as the settings list it. */
  async function lastChange(): Promise<{ id: string; title: string; is_back: boolean }> {
    const answer = await settings('GET', `/settings/assistants/${assistant.id}/activity`)
    const { data } = answer.json<{ data: { attributes: { change?: object } }[] }>()
    expect(data[0]?.attributes).to.have.property('change')
    return data[0]?.attributes.change as { id: string; title: string; is_back: boolean }
  }

  async function putBack(change: string, overwrites = false): Promise<number> {
    const path = `/settings/assistants/${assistant.id}/activity/${change}/put-back`
    return (await settings('POST', path, { overwrites })).status
  }

  it('keeps the digits of integers beyond 2^53, also when it is put back (D97)', async () => {
    const before = '{"user_id":17841405822304915}'
    const first = await write('digits', parseExact(before) as Fields)
    const second = parseExact('{"user_id":17841405822304917}') as object
    await update('digits', first, second)
    expect(JSON.stringify((await stored('digits'))?.fields)).to.equal(JSON.stringify(second))
    expect(await putBack((await lastChange()).id)).to.equal(204)
    expect(JSON.stringify((await stored('digits'))?.fields)).to.equal(before)
  })

  it('is changed member by member, told to subscribers, and put back as it was', async () => {
    const first = await write('garden')
    const told: unknown[] = []
    const end = host.host.app.realtime.onLocalEvent((event) => {
      if (event.type === NOTES) told.push([event.verb, event.doc])
    })
    const revision = await update('garden', first, { text: 'Sell tulips', tags: null })
    expect(await stored('garden')).to.deep.include({
      rev: revision,
      fields: { title: 'Garden', text: 'Sell tulips' },
    })
    const change = await lastChange()
    expect(change).to.deep.include({ title: 'Garden', is_back: false })
    const presses = await Promise.all(Array.from({ length: 4 }, () => putBack(change.id)))
    expect(presses.toSorted()).to.deep.equal([204, 404, 404, 404])
    const back = await stored('garden')
    expect(back?.fields).to.deep.equal(TEXT)
    expect(await lastChange()).to.deep.include({ is_back: true })
    end()
    const wire = { _id: 'garden', _type: NOTES }
    expect(told).to.deep.equal([
      ['UPDATED', { ...wire, _rev: revision, title: 'Garden', text: 'Sell tulips' }],
      ['UPDATED', { ...wire, _rev: back?.rev, ...TEXT }],
    ])
  })

  it('comes back under its id when it was deleted, also once the assistant is gone', async () => {
    const first = await write('bank')
    expect(await remove('bank', 'another')).to.have.property('code', 'conflict')
    expect(await remove('bank', first)).to.deep.equal({})
    expect(await remove('bank', first), 'the same call again').to.deep.equal({})
    expect(await stored('bank')).to.equal(undefined)
    const gone = await connectAssistant(host, ALL)
    const other = { id: `${NOTES}/bank`, revision: first }
    expect(await gone.result('delete', other)).to.have.property('code', 'not_found')
    const answer = await settings('GET', '/settings/assistants/changes')
    const { data } = answer.json<{ data: { id: string; attributes: object }[] }>()
    expect(data[0]?.attributes).to.deep.include({ title: 'Garden', is_deleted: true })
    expect(await putBack(data[0]?.id ?? '')).to.equal(204)
    expect((await stored('bank'))?.fields).to.deep.equal(TEXT)
  })

  it('is not put back over what somebody else wrote since, unless the owner says so', async () => {
    const first = await write('list')
    await update('list', first, { text: 'x' })
    const { id } = await lastChange()
    await write('list', { title: 'Mine' })
    expect(await putBack(id)).to.equal(409)
    expect((await stored('list'))?.fields).to.deep.equal({ title: 'Mine' })
    expect(await putBack(id, true)).to.equal(204)
    expect((await stored('list'))?.fields).to.deep.equal(TEXT)
    expect(await putBack('nothing', true)).to.equal(404)
  })

  it('is never what others see too, nor what no rule covers', async () => {
    const revision = await write('party')
    expect(await linkTo('party')).to.equal(201)
    const seen = { id: `${NOTES}/party`, revision }
    const refused = await assistant.result('update', { ...seen, fields: { text: 'x' } })
    expect(refused).to.have.property('code', 'shared_document')
    expect(await assistant.result('delete', seen)).to.have.property('code', 'shared_document')
    const given = { id: `${NOTES}/shared-abc-0`, revision: await write('shared-abc-0') }
    expect(await assistant.result('delete', given)).to.have.property('code', 'shared_document')
    const narrow = await connectAssistant(host, `${NOTES}:GET ${NOTES}:PUT:other`)
    const hidden = await narrow.result('update', { ...seen, fields: { text: 'x' } })
    expect(hidden).to.have.property('code', 'not_found')
    expect((await stored('party'))?.rev).to.equal(revision)
  })

  /** Another client of the owner shares it by a link. */
  async function linkTo(id: string): Promise<number> {
    const { token } = await host.connect(`${NOTES}:GET`)
    const answer = await host.call(token, 'POST', '/shares', { type: NOTES, ids: [id] })
    return answer.status
  }

  it('counts with what is kept of before, and refuses what there is no room for', async () => {
    const first = await write('large', { text: 'x'.repeat(30_000) })
    const { quota } = host.host.app
    const { 'document-before': before } = await quota.usage(instance)
    const more = { text: 'y'.repeat(40_000), other: 'z'.repeat(10_000) }
    const revision = await update('large', first, more)
    const { 'document-before': after } = await quota.usage(instance)
    expect((after?.bytes ?? 0) - (before?.bytes ?? 0)).to.be.within(30_000, 31_000)
    const given = { id: `${NOTES}/large`, revision, fields: { third: 'z'.repeat(20_000) } }
    expect(await assistant.result('update', given)).to.have.property('code', 'too_large')
    const { used } = await quota.use(instance)
    const path = `/instances/${instance.domain}`
    expect((await host.admin('PATCH', path, { diskQuota: used + 20_000 })).status).to.be.within(
      200,
      299,
    )
    const full = await assistant.result('update', { ...given, fields: { text: 'small' } })
    expect(full).to.have.property('code', 'quota_exceeded')
    // What is deleted takes the place that it had.
    expect(await remove('large', revision)).to.deep.equal({})
    expect((await host.admin('PATCH', path, { diskQuota: null })).status).to.be.within(200, 299)
  })
})

import { DAY_MS, HOUR_MS } from '@svc/platform'
import { type FakeClock, fakeClock, until } from '@svc/testkit'
import { expect } from 'chai'
import { connectAssistant } from '../../../../packages/auth-ui/test/support/assistant-flows.ts'
import { testHost } from '../support/for-test.ts'
import type { TestHost } from '../support/test-host.ts'
import { mailed, told, toldTimes } from '../support/told.ts'

/** @see assistants.md 5.7, 7.2 */
describe('what owners and operators are told of assistants', () => {
  let clock: FakeClock
  let host: TestHost

  beforeEach(async () => {
    clock = fakeClock()
    host = await testHost({}, 'alice.example.com', clock)
  })

  const connect = async (name?: string | null) => connectAssistant(await host.browser(), name)

  it('is when one is connected, at once, with what it may do and where to end it', async () => {
    const { id } = await connect('Sage')
    await toldTimes(host, 'assistant-connected', 1)
    const [notice] = await told(host, 'assistant-connected')
    expect(notice).to.include({
      categoryId: id,
      priority: 'high',
      title: 'An assistant was connected',
    })
    const { text, html } = await mailed(host, 'An assistant can read your data')
    const place = `${host.app('settings')}/?section=apps&highlight=${id}`
    for (const part of ['“Sage”', 'Its name is not verified', 'Contacts: read only', '127.0.0.1']) {
      expect(text).to.include(part)
    }
    expect(text).to.include(place)
    expect(html).to.include(place.replaceAll('&', '&amp;'))
  })

  it('is when one without a name is connected, by where it returns to', async () => {
    await connect(null)
    const { text } = await mailed(host, 'An assistant can read your data')
    // No mail program makes a link of it.
    const place = 'assistant.\u2060example'
    expect(text).to.include(`“An app without a name, returns to ${place}” can use`)
    expect(text).to.include('Its identity is not verified.')
    expect(text).not.to.match(/calls itself|Unnamed/u)
  })

  it('is when its refresh token came twice, once, and not when its owner ended it', async () => {
    const { id, refreshToken } = await connect()
    const browser = await host.browser()
    const refresh = (token: string) =>
      browser.post('/auth/access_token', {
        grant_type: 'refresh_token',
        client_id: id,
        refresh_token: token,
      })
    const second = (await refresh(refreshToken)).json<{ refresh_token: string }>()
    await refresh(second.refresh_token)
    clock.advance(60_000)
    for (let times = 0; times < 2; times += 1) {
      expect((await refresh(refreshToken)).status).to.equal(400)
    }
    await toldTimes(host, 'assistant-ended', 1)
    expect((await mailed(host, 'no longer has access')).text).to.include('an old key')
    const other = await connect('Other')
    await host.host.app.oauth.assistants.end(host.instance, other.id, 'owner')
    await toldTimes(host, 'assistant-connected', 2)
    expect(await told(host, 'assistant-ended')).to.have.lengthOf(1)
  })

  it('is when one reads more than a thousand documents in an hour, once a day', async () => {
    const { id } = await connect()
    const { assistants } = host.host.app.oauth
    clock.advance(Math.ceil(clock.now() / DAY_MS) * DAY_MS - clock.now())
    const read = () =>
      assistants.recordCall({
        instance: host.instance.id,
        grantId: 'g',
        clientId: id,
        tool: 'fetch',
        documents: 1001,
        bytes: 1,
        outcome: 'ok',
      })
    await read()
    await toldTimes(host, 'assistant-busy', 1)
    const heard: number[] = []
    host.host.app.oauth.on('assistant.busy', ({ documents }) => heard.push(documents))
    clock.advance(HOUR_MS + 1)
    await read()
    await until(() => heard.length === 1)
    expect((await mailed(host, 'is reading a lot')).text).to.include('more than 1,000 documents')
    expect(await told(host, 'assistant-busy')).to.have.lengthOf(1)
  })

  it('stands in the record of activity, with who ended it', async () => {
    const { id, refreshToken } = await connect('Sage')
    const browser = await host.browser()
    const form = { grant_type: 'refresh_token', client_id: id, refresh_token: refreshToken }
    const second = (await browser.post('/auth/access_token', form)).json<{
      refresh_token: string
    }>()
    await browser.post('/auth/access_token', { ...form, refresh_token: second.refresh_token })
    clock.advance(60_000)
    await browser.post('/auth/access_token', form)
    const other = await connect('Other')
    await host.admin('DELETE', `/instances/${host.instance.domain}/assistants/${other.id}`)
    const noted = async (): Promise<readonly string[]> => {
      const lines: string[] = []
      for await (const line of host.host.app.activity.exportLines(host.instance)) lines.push(line)
      return lines.filter((line) => line.includes('"event":"assistant.ended"'))
    }
    await until(async () => (await noted()).length === 2)
    const [ours, operators] = (await noted()).map(
      (line) => JSON.parse(line) as { actor: object; reason: string; target: { id: string } },
    )
    expect(ours).to.deep.include({ actor: { kind: 'server' }, reason: 'refresh_reuse' })
    expect(ours?.target.id).to.equal(id)
    expect(operators).to.deep.include({ actor: { kind: 'operator' }, reason: 'operator' })
  })

  it('are listed and ended by the operator, one or all of them', async () => {
    const { id } = await connect('Sage')
    const path = `/instances/${host.instance.domain}/assistants`
    const list = async () => {
      const answer = await host.admin('GET', path)
      return (await answer.json()) as { allowed: boolean; assistants: { id: string }[] }
    }
    const { allowed, assistants } = await list()
    expect(allowed).to.equal(true)
    expect(assistants).to.have.lengthOf(1)
    expect(assistants[0]).to.deep.include({ id, name: 'Sage', host: 'registered' })
    expect((await host.admin('DELETE', `${path}/${id}`)).status).to.equal(204)
    expect((await host.admin('DELETE', `${path}/${id}`)).status).to.equal(404)
    await connect()
    await connect('Second')
    const ended = await host.admin('DELETE', path)
    expect(await ended.json()).to.deep.equal({ ended: 2 })
    expect((await list()).assistants).to.deep.equal([])
  })
})

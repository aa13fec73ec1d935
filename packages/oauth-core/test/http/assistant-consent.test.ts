import { DAY_MS, HOUR_MS, MINUTE_MS } from '@svc/platform'
import { anyStore, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import type { AssistantAllowed } from '../../src/index.ts'
import type { Answer, OAuthServer } from '../oauth-server.ts'
import { OPEN, OWNER, REDIRECT_URI, codeOf, type Fields } from '../client-steps.ts'
import { BASE, resourceServer } from '../resource-server.ts'
import { documentServer } from './document-servers.ts'

const WRITES = 'io.svc.notes:GET,POST,PUT,PATCH,DELETE io.svc.contacts:GET'

/** Of two processes. */
const KEYS = [{ kid: 'test', key: Buffer.alloc(32, 7) }]

/** A server that keeps what the assistants' page was to show, and what was allowed. */
async function assistants(options: Parameters<typeof resourceServer>[0] = {}) {
  const allowed: AssistantAllowed[] = []
  const server = await resourceServer(options)
  server.oauth.on('assistant.allowed', (event) => allowed.push(event))
  return { server, views: server.shown, allowed }
}

const shown = ({ status, text }: Answer): readonly unknown[] => [
  status,
  /^<p>(?<page>\w+)/u.exec(text)?.groups?.['page'],
]

const lines = ({ logged }: OAuthServer, event: string): Record<string, unknown>[] =>
  logged
    .filter((line) => line.split(' ')[1] === event)
    .map((line) => JSON.parse(line.slice(line.indexOf('{'))) as Record<string, unknown>)

describe('the page of an assistant', () => {
  it('is shown whenever a resource is asked for, and nothing else that is sent chooses it (assistants.md 5.1)', async () => {
    const { server } = await assistants()
    const open = await server.publicClient()
    const { id } = await server.register({ redirect_uris: [REDIRECT_URI] })
    const resource = `${BASE}/mcp`
    const forged = {
      page: 'consent',
      prompt: 'none',
      display: 'popup',
      client_kind: 'assistant',
      answer: 'refuse',
    }
    for (const [client, changes, page] of [
      [open, {}, 'assistant'],
      [open, { resource }, 'assistant'],
      [open, forged, 'assistant'],
      [id, { resource }, 'assistant'],
      [id, { resource: `${BASE}/photos/mcp` }, 'assistant'],
      [id, {}, 'consent'],
      [id, { ...forged, page: 'assistant' }, 'consent'],
    ] as const) {
      expect(shown(await server.ask(client, changes))).to.deep.equal([200, page])
    }
  })

  describe('of a client that a document describes', () => {
    const documents = documentServer()

    it('names its host and what it was called before (2.9, 5.2)', async () => {
      let name = 'Quill'
      const url = documents().url()
      documents().answer = (_, response) => {
        response.setHeader('Content-Type', 'application/json')
        response.end(
          JSON.stringify({ client_id: url, client_name: name, redirect_uris: [REDIRECT_URI] }),
        )
      }
      const { server, views } = await assistants({ outbound: documents().outbound })
      await server.connect(url)
      name = 'Quill Pro'
      server.clock.advance(2 * HOUR_MS)
      await server.ask(url)
      expect(views[0]).to.include({ host: 'client.example' })
      expect(views[0]?.client.formerName).to.equal('Quill')
      expect(views[0]?.client.metadata.client_name).to.equal('Quill Pro')
      const [allowed] = lines(server, 'assistant.allowed')
      expect(allowed).to.include({ host: 'client.example', resource: '/mcp', news: 'first' })
    })
  })

  it('is answered no more once the assistant that registered calls itself otherwise (D103)', async () => {
    const { server, views } = await assistants()
    const json = { ...OPEN, client_name: 'Weather' }
    const { body } = await server.send('POST', '/auth/register', { json })
    const id = String(body['client_id'])
    for (const change of [{ client_name: 'Your Bank' }, { logo_uri: 'https://bank.example/i' }]) {
      await server.ask(id)
      const consent = views.at(-1)?.fields['consent']
      const updated = await server.send('PUT', `/auth/register/${id}`, {
        json: { client_id: id, ...change },
        headers: { authorization: `Bearer ${String(body['registration_access_token'])}` },
      })
      expect(updated.status, updated.text).to.equal(200)
      expect((await server.allow(id, { consent })).status).to.equal(400)
    }
    expect(lines(server, 'assistant.allowed')).to.deep.equal([])
    await server.ask(id)
    expect(
      codeOf(await server.allow(id, { consent: views.at(-1)?.fields['consent'] })),
    ).not.to.equal('')
  })

  it('is answered no more once what it gives was given and ended in the settings (D103)', async () => {
    const { server, views } = await assistants()
    const id = await server.publicClient()
    await server.ask(id)
    const consent = views.at(-1)?.fields['consent']
    await server.connect(id)
    expect(await server.oauth.assistants.end(server.instance, id, 'owner')).to.equal(true)
    expect((await server.allow(id, { consent })).status).to.equal(400)
    expect(await server.oauth.assistants.list(server.instance)).to.deep.equal([])
  })
})

describe('what an owner answers an assistant', () => {
  it('has its ticks at the first rule for the same data', async () => {
    const { server } = await assistants()
    const id = await server.publicClient()
    const scope = async (fields: Fields): Promise<string> => {
      const code = codeOf(await server.allow(id, { scope: WRITES, choice: '2', ...fields }))
      return String((await server.exchange(id, code)).body['scope'])
    }
    const files = { 'group-files-read': '1', 'group-files-change': '1', 'group-files-delete': '1' }
    const change = { ...files, 'permission-0-change': '1' }
    expect(await scope(change)).to.equal('io.svc.notes:POST io.svc.notes:PUT io.svc.notes:PATCH')
    const reads = { 'permission-0-read': '1', 'permission-0-delete': '1', 'permission-5-read': '1' }
    expect(await scope({ ...files, ...reads, 'group-people-read': '1' })).to.equal(
      'io.svc.notes:GET io.svc.notes:DELETE io.svc.contacts:GET',
    )
    // Also of what it has: without the tick of its group nothing of it stays.
    expect(await scope({ ...reads, 'group-people-read': '1' })).to.equal('io.svc.contacts:GET')
    // A tick at another rule for the same data is none.
    const none = { ...files, 'permission-1-change': '1', choice: '2' }
    expect(shown(await server.allow(id, { scope: WRITES, ...none }))).to.deep.equal([
      400,
      'assistant',
    ])
  })

  it('shows the page again when nothing is ticked, with the time that was chosen', async () => {
    const { server, views, allowed } = await assistants()
    const id = await server.publicClient()
    const answer = await server.allow(id, { scope: WRITES, choice: '2', duration: '30d' })
    expect(shown(answer)).to.deep.equal([400, 'assistant'])
    expect(views[0]).to.include({ problem: 'nothing_chosen', duration: '30d' })
    expect(allowed).to.deep.equal([])
  })

  it('lasts no longer than the operator allows', async () => {
    for (const [maxDuration, durations] of [
      ['1h', ['1h']],
      ['1d', ['1h', '1d']],
    ] as const) {
      const { server, views, allowed } = await assistants({ assistants: { maxDuration } })
      server.clock.stop()
      const id = await server.publicClient()
      await server.ask(id)
      expect(views[0]).to.deep.include({ durations, duration: maxDuration })
      for (const duration of ['30d', 'until_revoked', '2d', '']) {
        expect((await server.allow(id, { duration })).status, duration).to.equal(400)
      }
      await server.connect(id)
      const spanMs = (allowed[0]?.endsAt ?? 0) - Math.floor(server.clock.now() / 1000) * 1000
      expect(spanMs).to.equal(maxDuration === '1h' ? HOUR_MS : DAY_MS)
    }
  })

  it('may be no: the assistant is told so, and what it has goes on (1.7, 7.4)', async () => {
    const { server, allowed } = await assistants()
    const custom = 'quill://callback'
    const id = await server.publicClient({ redirect_uris: [REDIRECT_URI, custom] })
    const tokens = await server.connect(id)
    const refused = await server.allow(id, { scope: WRITES, answer: 'refuse' })
    expect(refused.status).to.equal(302)
    const iss = encodeURIComponent(BASE)
    expect(refused.headers['location']).to.equal(
      `${REDIRECT_URI}?error=access_denied&state=s&iss=${iss}`,
    )
    const program = await server.allow(id, { redirect_uri: custom, answer: 'refuse' })
    expect(program.headers['location']).to.equal(`${custom}?state=s&iss=${iss}&error=access_denied`)
    const script = { ...OWNER, accept: 'application/json' }
    const data = await server.allow(id, { answer: 'refuse' }, script)
    expect([data.status, data.body]).to.deep.equal([
      200,
      { redirect: `${REDIRECT_URI}?error=access_denied&state=s&iss=${iss}` },
    ])
    expect(allowed).to.have.length(1)
    expect(lines(server, 'assistant.refused')[0]).to.include({ clientId: id, resource: '/mcp' })
    expect((await server.refresh(id, tokens.refresh_token)).status).to.equal(200)
  })

  it('is an ordinary answer where no resource is asked for', async () => {
    const { server } = await assistants()
    const { id } = await server.register({ redirect_uris: [REDIRECT_URI] })
    const answer = await server.allow(id, { answer: 'refuse' })
    expect(codeOf(answer)).to.not.equal('')
    expect(lines(server, 'assistant.refused')).to.deep.equal([])
    expect(lines(server, 'consent.given')).to.have.length(1)
  })

  it('that adds a write is told with what the assistant has, and is named in the log (1.7)', async () => {
    const { server, views, allowed } = await assistants()
    const id = await server.publicClient()
    const tokens = await server.connect(id, { duration: '1h' })
    const call = await server.send('POST', '/mcp', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    expect(call.status).to.equal(403)
    expect(lines(server, 'assistant.step_up')).to.deep.equal([
      {
        domain: 'alice.example.com',
        clientId: id,
        resource: '/mcp',
        needs: 'io.svc.contacts:POST',
      },
    ])
    const scope = /scope="(?<scope>[^"]*)"/u.exec(String(call.headers['www-authenticate']))
      ?.groups?.['scope']
    expect(scope).to.equal('io.svc.contacts:GET io.svc.contacts:POST')
    await server.ask(id, { scope })
    expect(views[0]).to.deep.include({ allowedBefore: [0], duration: '1h' })
    expect(views[0]?.before).to.deep.include({
      permissions: [{ type: 'io.svc.contacts', verbs: ['GET'] }],
      endsAt: allowed[0]?.endsAt,
    })
    const ticked = {
      'permission-0-read': '1',
      'permission-0-change': '1',
      'group-people-read': '1',
      'group-people-change': '1',
    }
    const more = await server.connect(id, { scope, choice: '2', ...ticked })
    expect(more.scope).to.equal(scope)
    expect(allowed[1]).to.include({ news: 'write' })
  })
})

anyStore((open) => {
  describe('what is remembered of an assistant', () => {
    it('outlives its access: the last choice, and whether it is news (5.4, 5.7)', async () => {
      const clock = fakeClock()
      const store = await open({ clock })
      const { server, views, allowed } = await assistants({ clock, store, keys: KEYS })
      const id = await server.publicClient()
      await server.connect(id, { scope: WRITES, choice: '1', 'permission-1': '1', duration: '1h' })
      const at = clock.now()
      clock.advance(2 * HOUR_MS)
      await server.ask(id, { scope: WRITES })
      expect(views[0]).to.include({ duration: '1h' })
      expect(views[0]?.allowedBefore).to.deep.equal([])
      expect(views[0]?.before?.permissions).to.deep.equal([
        { type: 'io.svc.notes', verbs: ['POST'] },
      ])
      expect(views[0]?.before?.at).to.be.closeTo(at, 10_000)
      expect(views[0]?.before).to.not.have.property('endsAt')
      await server.connect(id, { scope: WRITES, choice: '1', 'permission-1': '1' })
      await server.connect(id, { scope: WRITES, choice: '1', 'permission-4': '1' })
      expect(allowed.map(({ news }) => news)).to.deep.equal(['first', undefined, 'write'])

      const other = await assistants({ clock, store, keys: KEYS, isSecondProcess: true })
      await other.server.ask(id, { scope: WRITES })
      expect(other.views[0]).to.include({ duration: '1d' })
    })

    it('is gone after 90 days', async () => {
      const clock = fakeClock()
      const store = await open({ clock })
      const { server, views } = await assistants({ clock, store })
      const { id } = await server.register({ redirect_uris: [REDIRECT_URI] })
      const resource = `${BASE}/mcp`
      expect((await server.allow(id, { resource, duration: '1h' })).status).to.equal(302)
      clock.advance(91 * DAY_MS)
      await server.ask(id, { resource })
      expect(views[0]).to.include({ duration: '1d' })
      expect(views[0]).to.not.have.property('before')
    })
  })

  describe('the end of an assistant’s access (5.5, 8.3)', () => {
    it('is one second for its tokens, its refresh and the list, over restarts and jumps of the clock', async () => {
      const clock = fakeClock()
      clock.stop()
      // Between two seconds: nothing is good for longer than was allowed.
      clock.advance(1250 - (clock.now() % 1000))
      const store = await open({ clock })
      const { server, allowed } = await assistants({ clock, store, keys: KEYS })
      const id = await server.publicClient()
      const tokens = await server.connect(id, { duration: '1h' })
      const endsAt = allowed[0]?.endsAt ?? 0
      expect(endsAt).to.be.within(clock.now() + HOUR_MS - 1000, clock.now() + HOUR_MS)

      /** What still stands of it, in a process. */
      const state = async ({ oauth, send, instance }: OAuthServer, bearer: string) => {
        const answer = await send('GET', '/mcp', { headers: { authorization: `Bearer ${bearer}` } })
        const grants = await oauth.clients.access(instance, id as never)
        return { call: answer.status, grants: grants.map((grant) => grant.endsAt) }
      }
      const alive = { call: 200, grants: [endsAt] }
      const dead = { call: 401, grants: [] }
      expect(await state(server, tokens.access_token)).to.deep.equal(alive)

      clock.advance(endsAt - clock.now() - 1000)
      const late = await server.refresh(id, tokens.refresh_token)
      expect(late.status).to.equal(200)
      expect(late.body['expires_in']).to.equal(1)
      const last = String(late.body['access_token'])
      const next = String(late.body['refresh_token'])
      expect(await state(server, last)).to.deep.equal(alive)

      const restarted = await assistants({ clock, store, keys: KEYS, isSecondProcess: true })
      expect(await state(restarted.server, last)).to.deep.equal(alive)
      clock.advance(999)
      expect(await state(server, last)).to.deep.equal(alive)
      expect(await state(restarted.server, last)).to.deep.equal(alive)
      clock.advance(1)
      const again = await assistants({ clock, store, keys: KEYS, isSecondProcess: true })
      for (const each of [server, restarted.server, again.server]) {
        expect(await state(each, last)).to.deep.equal(dead)
        expect(await state(each, tokens.access_token)).to.deep.equal(dead)
        const refused = await each.refresh(id, next)
        expect([refused.status, refused.body['error']]).to.deep.equal([400, 'invalid_grant'])
      }
      // The clock leaps on, by far more than any window, and a little back: what ended stays so.
      clock.advance(30 * DAY_MS)
      clock.advance(-MINUTE_MS)
      for (const each of [server, restarted.server, again.server]) {
        expect(await state(each, last)).to.deep.equal(dead)
      }
    })

    it('is not moved by the owner: it has to ask again (owner.md 3.4)', async () => {
      const clock = fakeClock()
      clock.stop()
      const store = await open({ clock })
      const { server, allowed } = await assistants({ clock, store })
      const id = await server.publicClient()
      await server.connect(id, { duration: '1h' })
      const { clients } = server.oauth
      for (const duration of ['1h', '1d', '30d', 'until_revoked'] as const) {
        const outcome = await clients.changeAccess(server.instance, id, { duration })
        expect(outcome, duration).to.equal('assistant')
      }
      const [grant] = await clients.access(server.instance, id as never)
      expect(grant?.endsAt).to.equal(allowed[0]?.endsAt)
    })
  })
})

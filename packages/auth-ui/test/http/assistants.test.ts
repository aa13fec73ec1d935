import type { Instance } from '@svc/platform'
import { type BrowserClient, until } from '@svc/testkit'
import { expect } from 'chai'
import { beforeEach, describe, it } from 'mocha'
import {
  addResource,
  assistantUrl,
  connectAssistant,
  PLACES,
  registerAssistant,
} from '../support/assistant-flows.ts'
import { ask, startWithSettings } from '../support/settings-server.ts'
import { ALICE, createAlice, logIn, type UiServer } from '../support/ui-server.ts'

interface Entry {
  readonly id: string
  readonly attributes: Readonly<Record<string, unknown>>
}

type Right = Readonly<Record<string, unknown>>

interface List {
  readonly data: readonly Entry[]
  readonly meta: { readonly count: number; readonly allowed: boolean }
}

describe('the settings of assistants', () => {
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance

  beforeEach(async () => {
    server = await startWithSettings()
    addResource(server)
    ;({ instance } = await createAlice(server))
    browser = server.browser(ALICE)
    await logIn(browser)
  })

  const list = async (): Promise<List> =>
    (await ask(browser, 'GET', '/settings/assistants')).json<List>()

  it('call a client without a name by where it was last allowed, in the owner’s language', async () => {
    const id = await registerAssistant(browser, null)
    const names = async (): Promise<readonly unknown[]> => {
      const shown: unknown[] = []
      for (const [path, member] of [
        ['/settings/assistants', 'name'],
        ['/settings/access', 'name'],
        ['/settings/clients', 'client_name'],
      ] as const) {
        const { data } = (await ask(browser, 'GET', path)).json<List>()
        shown.push(data.find((entry) => entry.id === id)?.attributes[member])
      }
      return [...new Set(shown)]
    }
    for (const [redirectUri, locale, name] of [
      [PLACES[1], 'en', 'An app without a name, returns to 127.0.0.1:33418'],
      [PLACES[0], 'de', 'Eine App ohne Namen, führt zurück zu assistant.example'],
      [PLACES[1], 'fr', 'Une application sans nom, qui renvoie à 127.0.0.1:33418'],
      [PLACES[1], 'es', 'Una aplicación sin nombre, que vuelve a 127.0.0.1:33418'],
    ] as const) {
      const page = (await browser.get(assistantUrl(id, redirectUri))).page()
      await browser.post('/auth/authorize', Object.fromEntries(page.form('/auth/authorize').fields))
      await server.oauth.instances.update(instance.id, { locale })
      expect(await names()).to.deep.equal([name])
    }
  })

  it('leave out of every list what registered without a secret and has no access now', async () => {
    await server.oauth.start()
    const { id, refreshToken } = await connectAssistant(browser)
    await browser.post('/auth/revoke', { client_id: id, token: refreshToken })
    for (const path of ['/settings/assistants', '/settings/access', '/settings/clients']) {
      const listed = async (): Promise<boolean> =>
        (await ask(browser, 'GET', path)).json<List>().data.some((entry) => entry.id === id)
      await until(async () => !(await listed()))
    }
    expect(await server.oauth.clients.get(instance, id)).to.include({ isIdle: true })
  })

  it('list what is connected, with its rights in words and what it did in a day', async () => {
    const { id } = await connectAssistant(browser)
    const call = {
      instance: instance.id,
      grantId: 'g',
      clientId: id,
      tool: 'fetch',
      type: 'io.svc.contacts',
      documents: 2,
      bytes: 10,
      outcome: 'ok',
    }
    await server.oauth.assistants.recordCall(call)
    server.clock.advance(25 * 3_600_000)
    // Its access is over by then: a day, as the page proposes.
    const { data, meta } = await list()
    expect(meta).to.deep.equal({ count: data.length, allowed: true })
    const again = await connectAssistant(browser, 'Second')
    await server.oauth.assistants.recordCall({ ...call, clientId: again.id })
    await server.oauth.assistants.recordCall({ ...call, clientId: again.id, documents: 3 })
    const [entry] = (await list()).data
    expect(entry?.id).to.equal(again.id)
    expect(entry?.attributes).to.deep.include({
      name: 'Second',
      host: 'registered',
      resources: ['https://alice.example.com/mcp'],
      scope: 'io.svc.contacts:GET',
      last_day: { calls: 2, documents: 5 },
      last_used_from: '127.0.0.1',
    })
    const { permissions } = (entry?.attributes ?? {}) as { readonly permissions?: readonly Right[] }
    const right = permissions?.[0]
    expect(right).to.deep.include({ text: 'Contacts: read only', kind: 'Contacts' })
    expect(entry?.attributes['expires_at']).to.equal(right?.['until'])
  })

  it('say what each did, newest first, with the kinds in words, also when it is gone', async () => {
    const { id } = await connectAssistant(browser)
    const call = {
      instance: instance.id,
      grantId: 'g',
      clientId: id,
      tool: 'fetch',
      type: 'io.svc.contacts',
      documents: 1,
      bytes: 10,
      outcome: 'ok',
    }
    for (let bytes = 0; bytes < 101; bytes += 1) {
      await server.oauth.assistants.recordCall({ ...call, bytes })
    }
    await ask(browser, 'DELETE', `/settings/clients/${id}`)
    const path = `/settings/assistants/${id}/activity`
    const first = (await ask(browser, 'GET', path)).json<{
      data: readonly Entry[]
      links: { next: string }
    }>()
    expect(first.data).to.have.lengthOf(100)
    expect(first.data[0]?.attributes).to.deep.include({
      tool: 'fetch',
      kind: 'Contacts',
      type: 'io.svc.contacts',
      documents: 1,
      bytes: 100,
      outcome: 'ok',
    })
    const second = (await ask(browser, 'GET', first.links.next)).json<{ data: readonly Entry[] }>()
    expect(second.data.map(({ attributes }) => attributes['bytes'])).to.deep.equal([0])
    expect((await ask(browser, 'GET', `${path}?cursor=x`)).status).to.equal(400)
    for (const unknown of ['x', 'a'.repeat(600), '%00', '%0A']) {
      const answer = await ask(browser, 'GET', `/settings/assistants/${unknown}/activity`)
      expect(answer.status, unknown).to.equal(404)
    }
  })

  it('end one with one request, all of them with another, and let none come', async () => {
    const one = await connectAssistant(browser)
    const two = await connectAssistant(browser, 'Second')
    expect((await ask(browser, 'DELETE', `/settings/assistants/${one.id}`)).status).to.equal(204)
    expect((await list()).data.map(({ id }) => id)).to.deep.equal([two.id])
    const refused = await browser.post('/auth/access_token', {
      grant_type: 'refresh_token',
      client_id: one.id,
      refresh_token: one.refreshToken,
    })
    expect(refused.status).to.equal(400)
    expect(refused.json<{ error: string }>().error).to.equal('invalid_grant')
    expect((await ask(browser, 'DELETE', '/settings/assistants')).status).to.equal(204)
    expect((await list()).data).to.deep.equal([])
    const forbid = await ask(browser, 'PUT', '/settings/assistants/preferences', { allowed: false })
    expect(forbid.status).to.equal(204)
    expect((await list()).meta.allowed).to.equal(false)
    const page = await browser.get(
      `/auth/authorize?${new URLSearchParams({
        client_id: two.id,
        redirect_uri: 'https://assistant.example/callback',
        response_type: 'code',
        state: 's',
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
      }).toString()}`,
    )
    expect(page.status).to.equal(403)
    expect(page.text).to.include('Assistants can’t connect here')
  })

  it('stand among the clients with their kind, and in the list of access', async () => {
    const { id } = await connectAssistant(browser)
    const clients = (await ask(browser, 'GET', '/settings/clients')).json<List>().data
    expect(clients.map((each) => [each.id, each.attributes['client_kind']])).to.deep.equal([
      [id, 'assistant'],
    ])
    const access = (await ask(browser, 'GET', '/settings/access')).json<List>().data
    expect(access.find((each) => each.id === id)?.attributes).to.include({
      kind: 'client',
      client_kind: 'assistant',
    })
    expect((await ask(browser, 'DELETE', `/settings/clients/${id}`)).status).to.equal(204)
    expect((await list()).data).to.deep.equal([])
  })
})

import type { Instance } from '@svc/platform'
import { type BrowserClient, type RelyingParty, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import { assistantUrl, PLACES, registerAssistant } from '../support/assistant-flows.ts'
import { ALICE, createAlice, logIn, startUi, type UiServer } from '../support/ui-server.ts'

const SCOPE = 'io.svc.contacts:GET io.svc.notes:GET,POST,DELETE'
const TO_READ = 'Let it read for 24 hours'

describe('an assistant that asks the owner', () => {
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance
  let party: RelyingParty

  beforeEach(async () => {
    server = await startUi({ notes: true })
    server.oauth.resources.add({
      path: '/mcp',
      name: 'Assistants',
      scopes: ['io.svc.contacts:GET'],
      isOpen: true,
    })
    ;({ instance } = await createAlice(server))
    browser = server.browser()
    await logIn(browser)
    party = relyingParty({ issuer: ALICE, port: server.port })
    await party.register()
  })

  async function ask(scope = SCOPE) {
    const pending = await party.authorize({ scope })
    const url = `${pending.url}&resource=${encodeURIComponent(`${ALICE}/mcp`)}`
    const page = (await browser.get(url)).page()
    return { pending: { ...pending, url }, page, form: page.form('/auth/authorize') }
  }

  it('is called by where this request returns to when it registered without a name', async () => {
    const id = await registerAssistant(browser, null)
    for (const [redirectUri, host] of [
      [PLACES[1], '127.0.0.1:33418'],
      [PLACES[0], 'assistant.example'],
    ] as const) {
      const { text } = (await browser.get(assistantUrl(id, redirectUri))).page()
      expect(text).to.include(`An app without a name, returns to ${host}`)
      expect(text).not.to.match(/calls itself|Unnamed|this name/u)
    }
    await server.oauth.instances.update(instance.id, { settings: { oauthClientsMax: 0 } })
    const { text } = (await browser.get(assistantUrl(id, PLACES[1]))).page()
    expect(text).to.include('An app without a name, returns to 127.0.0.1:33418')
  })

  it('is told to be added again when its registration is gone, in the owner’s language', async () => {
    const id = await registerAssistant(browser, 'Helper')
    await server.oauth.clients.revoke(instance, id, 'test')
    for (const [locale, words] of [
      ['en', 'This server doesn’t know this app any more.'],
      ['fr', 'Ce serveur ne connaît plus cette application.'],
    ] as const) {
      await server.oauth.instances.update(instance.id, { locale })
      const answer = await browser.get(assistantUrl(id))
      expect(answer.status).to.equal(400)
      expect(answer.page().text).to.include(words)
    }
  })

  it('gets what reads for 24 hours when the page is sent as it stands', async () => {
    const { pending, page, form } = await ask()
    expect(page.title).to.equal('Let an assistant change your data? – alice.example.com')
    expect(form.buttons[0]?.text).to.include(TO_READ)
    const answer = await browser.submit(form)
    expect(answer.status).to.equal(302)
    const tokens = await party.exchange(answer.location ?? '', pending)
    expect(tokens.scope).to.equal('io.svc.contacts:GET io.svc.notes:GET')
    const event = server.events.find((each) => each.event === 'assistant.allowed')
    expect(event?.until).to.be.closeTo(server.clock.now() + 86_400_000, 60_000)
  })

  it('gets the write that was ticked, and then is asked about what it has', async () => {
    const { pending, form } = await ask()
    const answer = await browser.submit(form, { 'permission-1-change': 'on', duration: '1h' })
    const tokens = await party.exchange(answer.location ?? '', pending)
    expect(tokens.scope).to.equal('io.svc.contacts:GET io.svc.notes:GET io.svc.notes:POST')
    const { page, form: again } = await ask()
    expect(page.text).to.match(
      /it can already read and add to your notes; only read your contacts\./u,
    )
    expect(page.text).to.include('New: delete your notes.')
    expect(again.value('duration')).to.equal('1h')
    expect(again.value('permission-1-change')).to.equal(undefined)
  })

  it('is refused by the other button, and the owner sees it in the record', async () => {
    const { form } = await ask()
    const refused = await browser.submit(form, {}, 'Don’t allow')
    expect(refused.status).to.equal(302)
    expect(refused.location).to.match(/[?&]error=access_denied&state=[^&]+&iss=/u)
    expect(server.events.map(({ event }) => event)).to.include('consent.refused')
    const stale = await browser.submit(form, { consent: 'x' }, 'Don’t allow')
    expect(stale.status, 'a page that is too old can still be refused').to.equal(302)
  })

  it('is told what is wrong with its request by one button that names its host (D92)', async () => {
    const pending = await party.authorize({ scope: 'Not A Scope::' })
    const url = `${pending.url}&resource=${encodeURIComponent(`${ALICE}/mcp`)}`
    const answer = await browser.get(url)
    expect(answer.status).to.equal(400)
    const links = [
      ...answer.text.matchAll(/<a [^>]*href="(?<href>[^"]*)"[^>]*>(?<text>.*?)<\/a>/gu),
    ]
    expect(links).to.have.length(1)
    const { href = '', text = '' } = links[0]?.groups ?? {}
    const words = text.replaceAll(/<[^>]*>|[\u2066-\u2069]/gu, '')
    expect(words).to.equal(`Go back to ${new URL(party.redirectUri).host}`)
    const told = new URL(href.replaceAll('&amp;', '&'))
    expect(told.href.startsWith(party.redirectUri)).to.equal(true)
    expect(Object.fromEntries(told.searchParams)).to.include({
      error: 'invalid_scope',
      state: pending.state,
      iss: ALICE,
    })
  })

  it('is answered with the page again when nothing is ticked', async () => {
    const { form } = await ask()
    const nothing = { 'permission-0-read': undefined, 'permission-1-read': undefined }
    const answer = await browser.submit(form, { ...nothing, duration: '30d' })
    expect(answer.status).to.equal(400)
    expect(answer.page().text).to.include('Tick at least one thing')
    expect(answer.page().form('/auth/authorize').value('duration')).to.equal('30d')
  })

  it('is never allowed for longer by the settings: it has to ask again (owner.md 3.4)', async () => {
    const { pending, form } = await ask()
    await party.exchange((await browser.submit(form)).location ?? '', pending)
    const id = party.client.client_id
    const instance = await server.oauth.instances.byHost('alice.example.com')
    if (instance === undefined) throw new Error('no instance')
    const outcome = await server.oauth.clients.changeAccess(instance, id, { duration: '30d' })
    expect(outcome).to.equal('assistant')
  })
})

import { expect } from 'chai'
import { refusalOf } from '../support/refusal.ts'
import { type EmailServer, OLD, startEmail } from '../support/email-change.ts'
import { confirmedFor } from '../support/factor-flows.ts'
import { logIn } from '../support/ui-server.ts'

interface Document {
  readonly data: {
    readonly type: string
    readonly id: string
    readonly attributes: Readonly<Record<string, unknown>>
    readonly meta: { readonly rev: string }
    readonly links?: Readonly<Record<string, string>>
  }
}

describe('the profile', () => {
  let at: EmailServer
  beforeEach(async () => {
    at = await startEmail({ ui: { ownerLinks: { export: '/export', close: 'drive/#/close' } } })
  })

  async function shown(): Promise<Document['data']> {
    return (await at.owner.call('GET', '/settings/profile')).json<Document>().data
  }

  it('says who the owner is here', async () => {
    const { attributes, id, links, type } = await shown()
    expect({ id, type }).to.deep.equal({ id: 'io.svc.settings.profile', type: 'io.svc.settings' })
    expect(attributes).to.deep.include({
      email: OLD,
      email_pending: null,
      email_previous: null,
      public_name: '',
      locale: 'en',
      locales: ['de', 'en', 'es', 'fr'],
      time_zone: null,
      phone: null,
      sms: false,
      domain: 'alice.example.com',
      aliases: [],
      magic_link: false,
      password_defined: true,
    })
    expect(links).to.deep.equal({
      export: 'https://alice.example.com/export',
      close: 'https://drive.alice.example.com/#/close',
    })
  })

  it('takes name, language and zone, and is not written over what it did not see', async () => {
    const { rev } = (await shown()).meta
    const change = {
      public_name: ' Zoe\u0308 \u202e',
      locale: 'fr',
      time_zone: 'Europe/Paris',
      rev,
    }
    const answer = await at.owner.call('PATCH', '/settings/profile', change)
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.json<Document>().data.attributes).to.include({
      public_name: 'Zoë',
      locale: 'fr',
      time_zone: 'Europe/Paris',
    })
    expect((await at.owner.call('PATCH', '/settings/profile', change)).status).to.equal(409)
    expect((await at.server.browser().get('/auth/login')).text).to.include('lang="fr"')
  })

  const malformed: readonly (readonly [member: string, value: unknown])[] = [
    ['public_name', ''],
    ['public_name', ' \u202e '],
    ['public_name', 'a\u0007b'],
    ['public_name', 'x'.repeat(101)],
    ['public_name', 1],
    ['locale', 'xx'],
    ['locale', 'EN'],
    ['time_zone', 'Mars/Olympus'],
    ['time_zone', ''],
    ['email', 'alice@new.example'],
  ]
  for (const [member, value] of malformed) {
    it(`answers 400 and names ${member} for ${JSON.stringify(value).slice(0, 20)}`, async () => {
      const answer = await at.owner.call('PATCH', '/settings/profile', { [member]: value })
      expect(answer.status).to.equal(400)
      expect(answer.text).to.include(member)
    })
  }

  it('switches logins by mailed link, with a confirmation', async () => {
    const path = '/settings/magic_link'
    expect((await at.owner.call('PUT', path, { enabled: true })).status).to.equal(403)
    const fields = await confirmedFor(at.server, at.owner)
    expect((await at.owner.call('PUT', path, { ...fields, enabled: true })).status).to.equal(204)
    expect((await shown()).attributes).to.include({ magic_link: true })
    expect((await at.owner.call('PUT', path, { ...fields, enabled: false })).status).to.equal(204)
    await at.server.oauth.instances.update(at.instance.id, { email: null })
    const answer = await at.owner.call('PUT', path, { ...fields, enabled: true })
    expect(refusalOf(answer)).to.equal('400 no_email')
  })

  it('lists the log-ins, newest first and a page at a time', async () => {
    for (let count = 0; count < 3; count += 1) {
      at.server.clock.advance(1000)
      await logIn(at.server.browser())
    }
    interface Page {
      readonly data: readonly { readonly attributes: Readonly<Record<string, unknown>> }[]
      readonly links: { readonly next?: string }
    }
    const seen: Readonly<Record<string, unknown>>[] = []
    let next: string | undefined = '/settings/logins?page%5Blimit%5D=3'
    while (next !== undefined) {
      const answer = await at.owner.call('GET', next)
      expect(answer.status, answer.text).to.equal(200)
      const page: Page = answer.json<Page>()
      expect(page.data.length).to.be.at.most(3)
      seen.push(...page.data.map(({ attributes }) => attributes))
      next = page.links.next
    }
    expect(seen).to.have.lengthOf(4)
    const times = seen.map(({ created_at: time }) => String(time))
    expect(times).to.deep.equal(times.toSorted().toReversed())
    expect(seen.at(-1)).to.include({ current: true, method: 'password' })
    expect(seen.map(({ current }) => current)).to.deep.equal([false, false, false, true])
    for (const bad of ['page%5Blimit%5D=0', 'page%5Blimit%5D=x', 'page%5Bcursor%5D=x']) {
      expect((await at.owner.call('GET', `/settings/logins?${bad}`)).status).to.equal(400)
    }
  })

  it('does not start with links that lead elsewhere', async () => {
    for (const link of ['https://evil.example/', '//evil.example', '/\\evil.example', 'a b', '']) {
      let fault: unknown
      await startEmail({ ui: { ownerLinks: { close: link } } }).catch((error: unknown) => {
        fault = error
      })
      expect(fault, link).to.be.instanceOf(TypeError)
    }
  })
})

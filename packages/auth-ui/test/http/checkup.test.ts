import { DAY_MS } from '@svc/platform'
import { anyStore } from '@svc/testkit'
import { expect } from 'chai'
import { trustBrowser } from '../support/second-step.ts'
import { askFor, change, type EmailServer, startEmail } from '../support/email-change.ts'
import { confirmedFor, enableMail, ownerAt, startFactors } from '../support/factor-flows.ts'
import { logIn } from '../support/ui-server.ts'

const ORDER = [
  'email-pending',
  'renamed-app',
  'login-failures',
  'one-factor',
  'recovery-codes',
  'passkeys',
  'unused-app',
  'unseen-device',
  'magic-link',
  'no-email',
]

interface Finding {
  readonly type: string
  readonly id: string
  readonly attributes: {
    readonly state: 'ok' | 'advice' | 'urgent'
    readonly href: string
    readonly count?: number
    readonly name?: string
    readonly until?: string
  }
}

describe('the check-up (owner.md 4.4)', () => {
  anyStore((open) => {
    let at: EmailServer
    beforeEach(async () => {
      at = await startEmail({ store: await open() })
    })
    afterEach(() => at.server.close())

    const list = async (): Promise<readonly Finding[]> => {
      const answer = await at.owner.call('GET', '/settings/checkup')
      expect(answer.status).to.equal(200)
      return answer.json<{ data: readonly Finding[] }>().data
    }
    /** Ids of what is not in order. */
    const wrong = async (): Promise<readonly string[]> =>
      (await list()).filter(({ attributes }) => attributes.state !== 'ok').map(({ id }) => id)
    const of = async (id: string): Promise<Finding['attributes'] | undefined> =>
      (await list()).find((each) => each.id === id)?.attributes

    it('names each check in order, with the control that settles it, and stores nothing', async () => {
      const found = await list()
      expect(found.map(({ id }) => id)).to.deep.equal(ORDER)
      for (const { type, attributes } of found) {
        expect(type).to.equal('io.svc.checkup')
        expect(attributes.href).to.match(/^#\/(?:apps|devices|profile|security)(?:\/[\w-]+)?$/u)
      }
      expect(await wrong()).to.deep.equal(['one-factor'])
    })

    it('is content with a second step that has recovery codes, and asks for codes without', async () => {
      const { server, owner } = at
      await enableMail(server, owner)
      expect(await wrong()).to.deep.equal(['recovery-codes'])
      expect(await of('recovery-codes')).to.include({ count: 0, state: 'advice' })
      const fields = await confirmedFor(server, owner)
      await owner.call('POST', '/settings/factors/recovery_codes', fields)
      expect(await wrong()).to.deep.equal([])
    })

    it('tells of an address that waits for its proof, and of a change that can be undone', async () => {
      await askFor(at)
      expect(await of('email-pending')).to.include({ state: 'advice', name: 'alice@new.example' })
      await change(at)
      const [first] = await list()
      expect(first).to.have.property('id', 'email-undo')
      expect(first?.attributes).to.include({ state: 'urgent', name: 'a…@old.example' })
      at.server.clock.advance(3 * DAY_MS + 1)
      at = { ...at, owner: await ownerAt(at.server) }
      expect((await list())[0]?.attributes.state).to.equal('ok')
    })

    it('tells of wrong passphrases of the last hour', async () => {
      for (const passphrase of ['one', 'two', 'three']) {
        await logIn(at.server.browser(), { passphrase }, { accept: 'application/json' })
      }
      expect(await of('login-failures')).to.include({ state: 'advice', count: 3 })
    })

    it('names an app that could delete and was not used for 90 days, and a device not seen for 30', async () => {
      const { server, owner, instance } = at
      await enableMail(server, owner)
      const add = async (name: string, scope: string): Promise<string> => {
        const { client_id: id } = (
          await owner.browser.postJson('/auth/register', {
            redirect_uris: ['https://client.example/callback'],
            client_name: name,
            software_id: name,
          })
        ).json<{ client_id: string }>()
        await server.oauth.clients.issueTokens(instance, id, scope)
        return id
      }
      const id = await add('Drive', 'io.svc.files')
      await add('Viewer', 'io.svc.files:GET')
      expect((await of('unused-app'))?.state).to.equal('ok')
      await trustBrowser(server, server.browser())
      server.clock.advance(31 * DAY_MS)
      at = { ...at, owner: await ownerAt(server) }
      expect((await of('unseen-device'))?.state).to.equal('advice')
      expect((await of('unused-app'))?.state).to.equal('ok')
      server.clock.advance(60 * DAY_MS)
      at = { ...at, owner: await ownerAt(server) }
      expect(await of('unused-app')).to.deep.equal({
        state: 'advice',
        href: `#/apps/${id}`,
        count: 1,
        name: 'Drive',
      })
    })

    it('warns of a magic link without a second step', async () => {
      const { server, owner } = at
      const fields = await confirmedFor(server, owner)
      await owner.call('PUT', '/settings/magic_link', { ...fields, enabled: true })
      expect(await of('magic-link')).to.include({ state: 'advice', href: '#/security/login-link' })
      await enableMail(server, owner)
      expect((await of('magic-link'))?.state).to.equal('ok')
    })
  })

  it('asks for an address where there is none', async () => {
    const { server } = await startFactors({}, {})
    const answer = await (await ownerAt(server)).call('GET', '/settings/checkup')
    const { data } = answer.json<{ data: readonly Finding[] }>()
    expect(data.find(({ id }) => id === 'no-email')?.attributes.state).to.equal('advice')
    await server.close()
  })
})

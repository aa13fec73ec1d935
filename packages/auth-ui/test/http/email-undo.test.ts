import type { ClientId } from '@svc/oauth-core'
import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import {
  change,
  askFor,
  emailOf,
  type EmailServer,
  mailsTo,
  NEW,
  OLD,
  press,
  startEmail,
  tokenIn,
} from '../support/email-change.ts'
import {
  confirmed,
  confirmedFor,
  enableMail,
  enableTotp,
  type OwnerAt,
  ownerAt,
  shownFactors,
  totpCode,
} from '../support/factor-flows.ts'
import { enablePasskey } from '../support/passkey-flows.ts'
import { LOGIN_VALUE, logIn } from '../support/ui-server.ts'

const DAY_MS = 24 * 3_600_000
const JSON_ONLY = { accept: 'application/json' }
const THIEF_VALUE = 'dGhlIHBhc3NwaHJhc2Ugb2YgYSB0aGllZg=='

describe('taking a change of the mail address back', () => {
  eachStore((open) => {
    let at: EmailServer
    beforeEach(async () => {
      at = await startEmail({ store: await open() })
    })
    afterEach(() => at.server.close())

    it('lets one of 50 parallel proofs of one token make one change', async () => {
      await askFor(at)
      const token = tokenIn(at, 'update_email')
      await at.owner.browser.get('/auth/passphrase_reset?from=settings')
      const csrf_token = at.owner.browser.cookie('__Host-csrf')?.value
      const answers = await Promise.all(
        Array.from({ length: 50 }, () =>
          at.owner.browser.post('/auth/email', { csrf_token, token }, { headers: JSON_ONLY }),
        ),
      )
      expect(answers.filter(({ status }) => status === 200)).to.have.lengthOf(1)
      for (const { status } of answers) expect(status).to.be.oneOf([200, 400, 429])
      expect(await emailOf(at)).to.equal(NEW)
      expect(mailsTo(at, OLD).filter((each) => each === 'email_changed')).to.have.lengthOf(1)
    })

    it('ends what a thief opened, added and allowed, and the passphrase that the thief chose', async () => {
      const { server, owner, instance } = at
      await enableMail(server, owner)
      const { client_id } = (
        await owner.browser.postJson('/auth/register', {
          redirect_uris: ['https://client.example/callback'],
          client_name: 'Old app',
          software_id: 'old',
        })
      ).json<{ client_id: string }>()
      await server.oauth.clients.issueTokens(instance, client_id, 'io.svc.files')
      server.clock.advance(1000)
      await change(at)
      server.clock.advance(1000)
      await enablePasskey(server, owner)
      await enableTotp(server, owner)
      await server.oauth.clients.issueTokens(instance, client_id, 'io.svc.contacts')
      await server.ui.owners.resetPassphrase(instance, 'the passphrase of a thief')
      await ownerAt(server, undefined, server.browser()).catch(() => {})
      await server.ui.owners.createSession(instance)

      const link = `/auth/email/undo?token=${tokenIn(at, 'email_changed')}`
      const rescuer = server.browser()
      const page = await rescuer.get(link)
      expect(page.status).to.equal(200)
      expect(page.text).to.include(OLD)
      expect(await emailOf(at)).to.equal(NEW)
      const answers = await Promise.all(
        Array.from({ length: 10 }, async () => {
          const browser = server.browser()
          return press(browser, '/auth/email/undo', tokenIn(at, 'email_changed'))
        }),
      )
      const done = answers.filter(({ status }) => status === 200)
      expect(done).to.have.lengthOf(1)
      const { redirect } = (done[0] ?? answers[0])?.json<{ redirect: string }>() ?? { redirect: '' }
      expect(redirect).to.match(/\/auth\/passphrase_renew\?token=[0-9a-f]{32}$/)

      expect(await emailOf(at)).to.equal(OLD)
      expect(await server.ui.owners.listSessions(instance)).to.deep.equal([])
      expect((await owner.call('GET', '/settings/profile')).status).to.equal(401)
      const access = await server.oauth.clients.access(instance, client_id as ClientId)
      expect(access.map(({ scope }) => scope)).to.deep.equal(['io.svc.files'])
      for (const passphrase of [LOGIN_VALUE, THIEF_VALUE, 'the passphrase of a thief']) {
        expect((await logIn(server.browser(), { passphrase }, JSON_ONLY)).status).to.equal(401)
      }

      const form = (await rescuer.get(redirect)).page().form('/auth/passphrase_renew')
      const renewed = await rescuer.submit(form, { passphrase: LOGIN_VALUE, iterations: '50000' })
      expect(renewed.status, renewed.text).to.equal(302)
      const back = await ownerAt(server)
      const { mail, passkeys, totp, recovery } = await shownFactors(back)
      expect({ mail: mail.enabled, passkeys, totp, recovery }).to.deep.equal({
        mail: true,
        passkeys: [],
        totp: null,
        recovery: null,
      })
      await server.sentMails()
      expect(mailsTo(at, OLD)).to.include('email_undone')
      expect(mailsTo(at, NEW)).to.include('email_undone')
    })
  })
})

describe('the time in which a change of the mail address can be taken back', () => {
  let at: EmailServer
  beforeEach(async () => {
    at = await startEmail()
  })
  afterEach(() => at.server.close())

  it('holds removals, new recovery codes and further changes, and lets factors be added', async () => {
    const { owner, server } = at
    await enableMail(server, owner)
    await enableTotp(server, owner)
    await change(at)
    await enablePasskey(server, owner)
    const fields = await confirmedFor(server, owner)
    const { passkeys } = await shownFactors(owner)
    const held: readonly (readonly [method: string, path: string])[] = [
      ['DELETE', '/settings/factors/mail'],
      ['DELETE', '/settings/factors/totp'],
      ['POST', '/settings/factors/recovery_codes'],
      ['DELETE', `/settings/factors/passkeys/${passkeys[0]?.id}`],
    ]
    for (const [method, path] of held) {
      const answer = await owner.call(method, path, fields)
      expect(answer.status, `${method} ${path}`).to.equal(409)
      expect(answer.text)
        .to.include('held')
        .and.match(/until \d{4}-\d\d-\d\dT/)
    }
    const again = await owner.call('PUT', '/settings/profile/email', {
      ...fields,
      email: 'third@new.example',
    })
    expect(again.status).to.equal(409)
    server.clock.advance(3 * DAY_MS)
    const later = await ownerAt(server, undefined, server.browser())
    const late = await confirmedFor(server, later)
    const codes = await later.call('POST', '/settings/factors/recovery_codes', late)
    expect(codes.status, codes.text).to.equal(200)
    const undo = await press(server.browser(), '/auth/email/undo', tokenIn(at, 'email_changed'))
    expect(undo.status).to.equal(400)
    expect(await emailOf(at)).to.equal(NEW)
  })

  it('is left out for an owner who confirms with an authenticator app of three days', async () => {
    const { owner, server } = at
    const lost = { old_mailbox_lost: true }
    expect((await askFor(at, NEW, lost)).status).to.equal(403)
    const secret = await enableTotp(server, owner)
    const answer = (): Record<string, string> => {
      // At the next step: a code counts once.
      server.clock.advance(30_000)
      return { 'two-factor-passcode': totpCode(server, secret) }
    }
    const withApp = async (who: OwnerAt): Promise<number> => {
      const fields = await confirmed(server, answer, undefined, who.browser.another())
      const body = { ...fields, email: NEW, ...lost }
      return (await who.call('PUT', '/settings/profile/email', body)).status
    }
    expect(await withApp(owner)).to.equal(403)
    server.clock.advance(3 * DAY_MS)
    const later = await ownerAt(server, answer, server.browser())
    expect(await withApp(later)).to.equal(202)
    const proven = await press(later.browser, '/auth/email', tokenIn(at, 'update_email'))
    expect(proven.status, proven.text).to.equal(200)
    expect(tokenIn(at, 'email_changed')).to.equal('')
    await server.sentMails()
    expect(mailsTo(at, OLD)).to.include('email_changed')
    at.delivered.length = 0
    await server.ui.owners.resetPassphrase(at.instance, 'another one')
    await server.sentMails()
    expect(mailsTo(at, OLD)).to.deep.equal([])
  })
})

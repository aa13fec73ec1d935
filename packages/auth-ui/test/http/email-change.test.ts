import { expect } from 'chai'
import {
  askFor,
  change,
  emailOf,
  type EmailServer,
  mailsTo,
  NEW,
  OLD,
  press,
  startEmail,
  tokenIn,
} from '../support/email-change.ts'
import { logIn } from '../support/ui-server.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

interface Attributes {
  readonly email: string | null
  readonly email_pending: { readonly address: string } | null
  readonly email_previous: { readonly address: string; readonly can_undo: boolean } | null
}

describe('a change of the mail address', () => {
  let at: EmailServer
  beforeEach(async () => {
    at = await startEmail()
  })

  async function profile(): Promise<Attributes> {
    const answer = await at.owner.call('GET', '/settings/profile')
    return answer.json<{ data: { attributes: Attributes } }>().data.attributes
  }

  it('counts once the link in the mail is followed by the owner who is logged in', async () => {
    const asked = await askFor(at)
    expect(asked.status, asked.text).to.equal(202)
    expect(await emailOf(at)).to.equal(OLD)
    expect((await profile()).email_pending).to.include({ address: NEW })
    await at.server.sentMails()
    expect(mailsTo(at, NEW)).to.deep.equal(['update_email'])
    expect(mailsTo(at, OLD)).to.deep.equal(['email_change_requested'])

    const token = tokenIn(at, 'update_email')
    const page = await at.owner.browser.get(`/auth/email?token=${token}`)
    expect(page.status).to.equal(200)
    expect(page.text).to.include(NEW)
    expect(await emailOf(at)).to.equal(OLD)
    const answer = await press(at.owner.browser, '/auth/email', token)
    expect(answer.json<{ redirect: string }>().redirect).to.match(/settings\..*#\/profile$/)
    expect(await emailOf(at)).to.equal(NEW)
    const { email, email_pending: pending, email_previous: previous } = await profile()
    expect(email).to.equal(NEW)
    expect(pending).to.equal(null)
    expect(previous).to.include({ address: OLD, can_undo: true })
    expect(mailsTo(at, OLD)).to.deep.equal(['email_change_requested', 'email_changed'])
    expect((await press(at.owner.browser, '/auth/email', token)).status).to.equal(400)
  })

  it('asks a stranger who has the link for the login, and tells nothing', async () => {
    await askFor(at)
    const stranger = at.server.browser()
    for (const token of [tokenIn(at, 'update_email'), '0'.repeat(32)]) {
      const page = await stranger.get(`/auth/email?token=${token}`)
      expect(page.status).to.equal(302)
      expect(page.location).to.match(/\/auth\/login\?redirect=/)
      expect((await press(stranger, '/auth/email', token)).status).to.equal(401)
    }
    expect(await emailOf(at)).to.equal(OLD)
  })

  it('is changed by no HEAD and no GET', async () => {
    await askFor(at)
    const path = `/auth/email?token=${tokenIn(at, 'update_email')}`
    await at.owner.browser.request('HEAD', path)
    await at.owner.browser.get(path)
    expect(await emailOf(at)).to.equal(OLD)
  })

  const refused: readonly (readonly [email: string, code: string])[] = [
    ['', 'bad_address'],
    ['alice', 'bad_address'],
    ['a@b.example, c@d.example', 'bad_address'],
    ['Alice <alice@new.example>', 'bad_address'],
    ['"a b"@new.example', 'bad_address'],
    ['alice@new.example\r\nBcc: x@evil.example', 'bad_address'],
    [`alice@${'x.'.repeat(126)}example`, 'bad_address'],
    [OLD, 'same_address'],
    [` ${OLD} `, 'same_address'],
    ['alice@OLD.example', 'same_address'],
  ]
  for (const [email, code] of refused) {
    it(`answers 400 ${code} to ${JSON.stringify(email.slice(0, 40))}`, async () => {
      const answer = await askFor(at, email)
      expect(answer.status, answer.text).to.equal(400)
      expect(answer.text).to.include(code)
      expect(at.delivered).to.deep.equal([])
    })
  }

  it('takes a host in any script, in ASCII, and leaves the local part as it is', async () => {
    expect((await askFor(at, 'Alice+X@bücher.example')).status).to.equal(202)
    expect((await profile()).email_pending).to.include({ address: 'Alice+X@xn--bcher-kva.example' })
  })

  it('keeps nothing when the mail cannot be sent', async () => {
    at.faults.set(NEW, () => Promise.reject(new Error('mailbox unavailable')))
    expect((await askFor(at)).status).to.equal(503)
    expect((await profile()).email_pending).to.equal(null)
    at.faults.clear()
    for (const name of ['a', 'b', 'c']) {
      expect((await askFor(at, `${name}@new.example`)).status).to.equal(202)
    }
    expect((await askFor(at, 'd@new.example')).status).to.equal(429)
    expect(mailsTo(at, 'd@new.example')).to.deep.equal([])
  })

  it('is replaced by a second one, sent again with a new link, and given up', async () => {
    await askFor(at, 'first@new.example')
    const first = tokenIn(at, 'update_email')
    await askFor(at)
    const second = tokenIn(at, 'update_email')
    const resent = await at.owner.call('POST', '/settings/profile/email/resend')
    expect(resent.status, resent.text).to.equal(202)
    for (const token of [first, second]) {
      expect((await press(at.owner.browser, '/auth/email', token)).status).to.equal(400)
    }
    const third = tokenIn(at, 'update_email')
    for (let count = 0; count < 2; count += 1) {
      const gone = await at.owner.call('DELETE', '/settings/profile/email/pending')
      expect(gone.status).to.equal(204)
    }
    expect((await press(at.owner.browser, '/auth/email', third)).status).to.equal(400)
    expect((await at.owner.call('POST', '/settings/profile/email/resend')).status).to.equal(404)
    expect(await emailOf(at)).to.equal(OLD)
  })

  it('is worth nothing after an hour', async () => {
    await askFor(at)
    at.server.clock.advance(HOUR_MS)
    const answer = await press(at.owner.browser, '/auth/email', tokenIn(at, 'update_email'))
    expect(answer.status).to.equal(400)
    expect((await profile()).email_pending).to.equal(null)
  })

  it('goes on when the old mailbox takes no mail', async () => {
    at.faults.set(OLD, () => Promise.reject(new Error('mailbox unavailable')))
    await change(at)
    expect(await emailOf(at)).to.equal(NEW)
  })

  it('sends every mail to the new address, and copies with nothing to act on to the old one', async () => {
    await change(at)
    at.delivered.length = 0
    await logIn(at.server.browser(undefined, { 'user-agent': 'Firefox/140.0' }))
    await at.server.ui.owners.resetPassphrase(at.instance, 'a new one')
    await at.server.sentMails()
    expect(mailsTo(at, NEW)).to.include.members(['new_connection', 'passphrase_changed'])
    expect(mailsTo(at, OLD)).to.have.members(mailsTo(at, NEW))
    for (const { to, mail } of at.delivered) {
      expect('url' in mail.variables && mail.variables.url !== undefined).to.equal(to === NEW)
    }
    at.server.clock.advance(3 * DAY_MS)
    at.delivered.length = 0
    await at.server.ui.owners.resetPassphrase(at.instance, 'another one')
    await at.server.sentMails()
    expect(mailsTo(at, NEW)).to.deep.equal(['passphrase_changed'])
    expect(mailsTo(at, OLD)).to.deep.equal([])
  })

  it('tells both addresses of a change by the operator, which nobody can take back', async () => {
    await askFor(at)
    at.delivered.length = 0
    await at.server.ui.owners.updateInstance(at.instance, { email: 'op@new.example' })
    await at.server.sentMails()
    expect(mailsTo(at, OLD)).to.deep.equal(['email_changed'])
    expect(mailsTo(at, 'op@new.example')).to.deep.equal(['email_changed'])
    expect(tokenIn(at, 'email_changed')).to.equal('')
    const { email, email_pending: pending, email_previous: previous } = await profile()
    expect({ email, pending, previous }).to.deep.equal({
      email: 'op@new.example',
      pending: null,
      previous: null,
    })
  })
})

describe('a first mail address', () => {
  it('is proven the same way, and there is no old one to tell', async () => {
    const at = await startEmail({}, undefined)
    const none = await at.server.oauth.instances.update(at.instance.id, { email: null })
    expect(none.email).to.equal(undefined)
    await change(at)
    expect(await emailOf(at)).to.equal(NEW)
    await at.server.sentMails()
    expect(at.delivered.map(({ mail }) => mail.template)).to.deep.equal(['update_email'])
  })
})

import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Mailbox, openMailbox, type ReceivedMail } from '@svc/testkit'
import { expect } from 'chai'
import { npmJudge } from '../support/judge.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

/** What of `mailauth` is asked; its own types stay with it. */
interface MailAuth {
  authenticate(
    mail: string,
    options: {
      readonly ip: string
      readonly helo: string
      readonly sender: string
      readonly strict: boolean
      readonly resolver: (name: string, type: string) => Promise<readonly (readonly string[])[]>
    },
  ): Promise<{
    readonly dkim: {
      readonly results: readonly { readonly status: { result: string; warnings?: string[] } }[]
    }
    readonly dmarc: { readonly status: { readonly result: string } }
  }>
}

/** What the parser of Python's own library stumbled over. */
const DEFECTS = `
import email, email.policy, sys
mail = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
for part in mail.walk():
    for defect in part.defects + [d for v in part.values() for d in v.defects]:
        print(part.get_content_type(), repr(defect))
    part.is_multipart() or part.get_content()
print(*[part.get_content_type() for part in mail.walk()])
`

describe('mailauth and Python on mails of the running host', function () {
  this.timeout(300_000)
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const published = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  const NAMES = new Map([
    ['mails._domainkey.example.com', `v=DKIM1; k=rsa; p=${published}`],
    ['_dmarc.alice.example.com', 'v=DMARC1; p=reject'],
    ['_dmarc.example.com', 'v=DMARC1; p=reject'],
    ['alice.example.com', 'v=spf1 ip4:127.0.0.1 -all'],
  ])
  let folder: string
  let mailbox: Mailbox
  let host: TestHost

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'svc-mailauth-'))
    const key = path.join(folder, 'dkim.pem')
    await writeFile(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    mailbox = await openMailbox()
    host = await startTestHost({
      SVC_SMTP_URL: `${mailbox.url}?tls=off`,
      SVC_MAIL_DKIM_DOMAIN: 'example.com',
      SVC_MAIL_DKIM_SELECTOR: 'mails',
      SVC_MAIL_DKIM_KEY_FILE: key,
    })
  })
  after(async () => {
    await host?.stop()
    await mailbox?.close()
    await rm(folder, { recursive: true })
  })

  async function authenticate({ raw, envelopeFrom }: ReceivedMail) {
    const { folder: place } = await npmJudge('mailauth@7.1.0')
    const load = createRequire(path.join(place, 'node_modules/'))
    const { authenticate: judge } = load('mailauth') as MailAuth
    return judge(raw, {
      ip: '127.0.0.1',
      helo: 'alice.example.com',
      sender: envelopeFrom,
      strict: true,
      async resolver(name, type) {
        const text = type === 'TXT' ? NAMES.get(name) : undefined
        if (text !== undefined) return [[text]]
        throw Object.assign(new Error(`${type} ${name}`), { code: 'ENOTFOUND' })
      },
    })
  }

  async function expectSound(mail: ReceivedMail): Promise<void> {
    const { dkim, dmarc } = await authenticate(mail)
    expect(dkim.results.map(({ status }) => status.result)).to.deep.equal(['pass'])
    expect(dmarc.status.result).to.equal('pass')
    const forged = await authenticate({ ...mail, raw: mail.raw.replace(/^Subject: /m, '$&Re: ') })
    expect(forged.dkim.results.map(({ status }) => status.result)).to.deep.equal(['fail'])
    const said = execFileSync('python3', ['-c', DEFECTS], { input: mail.raw, encoding: 'utf8' })
    expect(said.trim()).to.equal('multipart/alternative text/plain text/html')
  }

  it('find a mail of the pages signed, aligned and well formed', async () => {
    const browser = await host.browser(undefined, { anonymous: true })
    const page = (await browser.get('/auth/passphrase_reset')).page()
    await browser.submit(page.form('/auth/passphrase_reset'))
    await expectSound(await mailbox.waitForMail())
  })

  it("find an app's mail signed, aligned and well formed", async () => {
    mailbox.clear()
    const answer = await host.admin('POST', '/instances/alice.example.com/notifications', {
      notification: { title: 'Żółw', message: 'Déjà vu '.repeat(100) },
    })
    expect(answer.status, await answer.text()).to.equal(201)
    await expectSound(await mailbox.waitForMail())
  })
})

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { once } from 'node:events'
import path from 'node:path'
import { expect } from 'chai'
import { afterTest } from '../../../testkit/src/after-test.ts'
import { listen } from '../../../testkit/src/listen.ts'
import { imapMailbox } from '../../src/mailbox/imap-mailbox.ts'
import type { Mailbox } from '../../src/mailbox/mailbox.ts'
import { openMailbox } from '../../src/mailbox/open-mailbox.ts'
import { smtpMailbox } from '../../src/mailbox/smtp-mailbox.ts'
import { Budget, UNLIMITED } from '../../src/net/budget.ts'
import { Wire } from '../../src/net/wire.ts'
import { ImapServer } from '../support/imap-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

const RAW = [
  'From: Space <space@host.example>',
  'To: Owner <owner@host.example>',
  'Subject: =?utf-8?q?Your_code_=E2=9C=93?=',
  'Date: Mon, 23 Nov 2026 10:00:00 +0000',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'https://host.example/?code=3Dabc',
  '',
].join('\r\n')
const LIST = [{ id: '1', date: '2026-11-23T10:00:00.000Z', to: 'owner@host.example', text: 'x' }]

describe('a mailbox', () => {
  const folder = tempFolder()
  let mailbox: Mailbox | undefined
  const wire = new Wire({ budget: new Budget(UNLIMITED), concurrency: 1 })
  beforeEach(() => {
    mailbox = undefined
  })
  afterEach(async () => {
    await mailbox?.close()
  })
  after(() => wire.close())

  const faultOf = (opening: Promise<unknown>): Promise<unknown> =>
    opening.then(
      () => expect.fail('nothing was refused'),
      (error: unknown) => error,
    )

  function expectMail([mail]: Awaited<ReturnType<Mailbox['list']>>): void {
    expect(mail).to.deep.include({ to: 'owner@host.example', subject: 'Your code ✓' })
    expect(mail?.text).to.include('https://host.example/?code=abc')
    expect(mail?.date.toISOString()).to.equal('2026-11-23T10:00:00.000Z')
  }

  it('is a Maildir whose mails stay where they are', async () => {
    for (const part of ['new', 'cur', 'tmp']) mkdirSync(path.join(folder(), part))
    writeFileSync(path.join(folder(), 'new', '1.host'), RAW)
    mailbox = await openMailbox(`maildir:${folder()}`, wire)
    expectMail(await mailbox.list('host.example'))
    writeFileSync(path.join(folder(), 'cur', '2.host:2,S'), RAW)
    expect((await mailbox.list('host.example')).map(({ id }) => id)).to.deep.equal([
      '1.host',
      '2.host',
    ])
  })

  it('is a Maildir of which a mail that was read is deleted, where that is asked for', async () => {
    mkdirSync(path.join(folder(), 'new'))
    const file = path.join(folder(), 'new', '1.host')
    writeFileSync(file, RAW)
    mailbox = await openMailbox(`maildir:${folder()}`, wire, { isDeleting: true })
    const [mail] = await mailbox.list('host.example')
    if (mail === undefined) throw new Error('no mail')
    await mailbox.remove?.(mail)
    expect(existsSync(file)).to.equal(false)
  })

  it('is refused where mails are to be deleted and cannot be', async () => {
    const error = await faultOf(openMailbox('command:true', wire, { isDeleting: true }))
    expect(String(error)).to.include('nothing can be deleted there')
  })

  for (const isDeleting of [false, true]) {
    it(`is an inbox over IMAP, of which ${isDeleting ? 'a mail that was read is' : 'nothing is'} deleted`, async () => {
      const server = await ImapServer.start('the password')
      server.mails.set(7, `${RAW}\r\n`)
      const address = server.address('the password')
      mailbox = await openMailbox(address, wire, { isDeleting })
      const mails = await mailbox.list('host.example')
      expectMail(mails)
      const [mail] = mails
      if (mail === undefined) throw new Error('no mail')
      server.mails.set(9, `${RAW}\r\n`)
      expect((await mailbox.list('host.example')).map(({ id }) => id)).to.deep.equal(['7', '9'])
      await mailbox.remove?.(mail)
      expect([...server.mails.keys()]).to.deep.equal(isDeleting ? [9] : [7, 9])
      // The server may be where it is still the day before.
      const [, day = ''] = /SEARCH SINCE (\S+)/.exec(server.commands.join('\n')) ?? []
      expect(Date.parse(`${day} UTC`)).to.be.at.most(Date.now() - 86_400_000)
      const opened = server.commands.filter((one) => /^(SELECT|EXAMINE)/.test(one))
      expect(opened).to.deep.equal([isDeleting ? 'SELECT INBOX' : 'EXAMINE INBOX'])
    })
  }

  it('is an inbox over IMAP whose connection may break: it is closed then', async () => {
    const server = await ImapServer.start('the password')
    const opened = await openMailbox(server.address('the password'), wire)
    expect(await opened.list('host.example')).to.deep.equal([])
    server.close()
    const error = await faultOf(opened.list('host.example'))
    expect(String(error)).to.include('can no longer be read')
    await opened.close()
  })

  it('says when the account over IMAP is refused, and needs a password', async () => {
    const server = await ImapServer.start('the password')
    const wrong = server.address('other')
    const refused = await imapMailbox(wrong, { isDeleting: false }).catch((one: unknown) => one)
    expect(refused).to.be.instanceOf(Error)
    const none = await imapMailbox('imap://owner@127.0.0.1', { isDeleting: false }).catch(
      (one: unknown) => one,
    )
    expect(String(none)).to.include('CONTRACT_MAILBOX_PASSWORD')
  })

  it('is the relay of the server', async () => {
    const relay = await smtpMailbox(0)
    mailbox = relay
    const socket = connect(relay.port, '127.0.0.1')
    const lines = ['HELO host', 'MAIL FROM:<space@host.example>', 'RCPT TO:<owner@host.example>']
    for (const line of [...lines, 'DATA', `${RAW}\r\n.`, 'QUIT']) {
      await once(socket, 'data')
      socket.write(`${line}\r\n`)
    }
    await once(socket, 'close')
    expectMail(await mailbox.list('host.example'))
  })

  it('is a program that prints a list, for the host that is asked about', async () => {
    const file = path.join(folder(), 'host.example')
    writeFileSync(file, JSON.stringify(LIST))
    mailbox = await openMailbox(`command:cat ${folder()}/{host}`, wire)
    const [mail] = await mailbox.list('host.example')
    expect(mail).to.include({ id: '1', text: 'x', subject: '', html: '' })
  })

  it('is a list at an address', async () => {
    const { close, port } = await listen((request, response) => {
      const isRight = request.headers.accept === 'application/json' && request.url === '/box'
      response.writeHead(isRight ? 200 : 406).end(JSON.stringify(LIST))
    })
    afterTest(close)
    mailbox = await openMailbox(`http://{host}:${port}/box`, wire)
    expect(await mailbox.list('localhost')).to.have.lengthOf(1)
    const refused = await openMailbox(`http://{host}:${port}/other?key=of-the-owner`, wire)
    const error = await faultOf(refused.list('localhost'))
    expect(String(error)).to.include('the answer is 406').and.not.include('of-the-owner')
  })

  for (const text of ['ftp://host.example', 'inbox', 'smtp:none']) {
    it(`is not "${text}"`, async () => {
      const error = await faultOf(openMailbox(text, wire))
      expect(error).to.be.instanceOf(Error)
    })
  }
})

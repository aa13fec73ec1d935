import { once } from 'node:events'
import net from 'node:net'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { type Mailbox, openMailbox } from '../../src/index.ts'

describe('openMailbox', () => {
  let mailbox: Mailbox

  beforeEach(async () => {
    mailbox = await openMailbox({
      refuse: (mail) => (mail.subject === 'Spam' ? new Error('no') : undefined),
    })
  })

  afterEach(() => mailbox.close())

  it('hands a mail to whoever waits for it, parsed', async () => {
    const waiting = mailbox.waitForMail((mail) => mail.subject === 'Hello')
    expect(await send(mailbox.port, 'Hello')).to.match(/^250 /)
    const mail = await waiting
    expect(mail.envelopeTo).to.deep.equal(['alice@example.com'])
    expect(mail.text?.trim()).to.equal('body é')
    expect(mailbox.mails).to.have.length(1)
    expect(await mailbox.waitForMail()).to.equal(mail)
  })

  it('says what arrived instead when the wait ends', async () => {
    await send(mailbox.port, 'Hello')
    const failure = await mailbox.waitForMail((mail) => mail.subject === 'Bye', 20).catch(String)
    expect(failure).to.match(/^Error: no such mail within \d+ ms; arrived: Hello$/)
  })

  it('refuses what it is told to refuse', async () => {
    expect(await send(mailbox.port, 'Spam')).to.match(/^[45]\d\d /)
    expect(mailbox.mails).to.have.length(0)
  })
})

/** Speaks SMTP by hand and gives the answer to the message. */
async function send(port: number, subject: string): Promise<string> {
  const socket = net.connect(port, '127.0.0.1')
  const replies = createInterface({ input: socket })
  const message = `Subject: ${subject}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nbody é\r\n.`
  const lines = [
    'HELO test',
    'MAIL FROM:<svc@example.com>',
    'RCPT TO:<alice@example.com>',
    'DATA',
    message,
    'QUIT',
  ]
  let reply = ''
  for (const line of lines) {
    reply = String((await once(replies, 'line'))[0])
    if (line !== 'QUIT') socket.write(`${line}\r\n`)
  }
  socket.end('QUIT\r\n')
  await once(socket, 'close')
  return reply
}

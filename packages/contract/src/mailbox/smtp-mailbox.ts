import type { AddressInfo } from 'node:net'
import type { Mail, Mailbox } from './mailbox.ts'
import { parseMail } from './parse-mail.ts'
import { requirePeer } from '../peer.ts'

/** A mailbox that a server sends to. */
export interface SmtpMailbox extends Mailbox {
  readonly port: number
}

/** The runner is the relay of the server: it listens on this machine, and keeps what it is given. @param wanted - 0: chosen by the system */
export async function smtpMailbox(wanted: number): Promise<SmtpMailbox> {
  const { SMTPServer } = await requirePeer('smtp-server', () => import('smtp-server'))
  const mails: Mail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.once('end', () => {
        const recipients = envelope.rcptTo.map(({ address }) => address)
        parseMail(String(mails.length + 1), Buffer.concat(chunks), recipients).then(
          (mail) => {
            mails.push(mail)
            done()
          },
          (error: Error) => done(error),
        )
      })
    },
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(wanted, '127.0.0.1', () => resolve())
  })
  // A connection that breaks is the server's affair: its mail does not come.
  server.on('error', () => {})
  return {
    port: (server.server.address() as AddressInfo).port, // it listens on an address
    list: async () => [...mails],
    // Nobody else has it.
    remove: async (mail) => void mails.splice(mails.indexOf(mail), 1),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

import type { Mail, Mailbox, MailboxOptions } from './mailbox.ts'
import { parseMail } from './parse-mail.ts'
import { requirePeer } from '../peer.ts'

const INBOX = 'INBOX'

/**
 * The inbox of an account, such as `imaps://user@mail.example.org`. The password stands in the address, or in
 * `CONTRACT_MAILBOX_PASSWORD`, where no list of processes shows it.
 * @throws Error when the server cannot be reached, or refuses the account
 */
export async function imapMailbox(address: string, options: MailboxOptions): Promise<Mailbox> {
  const { ImapFlow } = await requirePeer('imapflow', () => import('imapflow'))
  const url = new URL(address)
  const secure = url.protocol === 'imaps:'
  const password =
    decodeURIComponent(url.password) || options.environment?.['CONTRACT_MAILBOX_PASSWORD']
  if (password === undefined) throw new Error('set CONTRACT_MAILBOX_PASSWORD')
  const client = new ImapFlow({
    host: url.hostname,
    port: Number(url.port) || (secure ? 993 : 143),
    secure,
    // Without TLS from the beginning a server on another machine has to offer it.
    ...(!secure && !isLoopback(url.hostname) && { doSTARTTLS: true }),
    auth: { user: decodeURIComponent(url.username), pass: password },
    logger: false,
    tls: options.ca === undefined ? {} : { ca: options.ca },
  })
  // A connection that breaks makes the next list fail: no mail is another thing.
  client.on('error', () => {})
  await client.connect()
  await client.mailboxOpen(INBOX, { readOnly: !options.isDeleting })
  // The server compares days, by a clock of another zone perhaps: what is older than the run is left out by its date.
  const since = new Date()
  since.setUTCDate(since.getUTCDate() - 1)
  const known = new Map<string, Mail>()
  return {
    async list() {
      await client.noop()
      const found = await client.search({ since }, { uid: true })
      if (found === false || found === undefined || !client.usable) {
        throw new Error('the inbox can no longer be read')
      }
      const fresh = found.filter((uid) => !known.has(String(uid)))
      if (fresh.length > 0) {
        for await (const { uid, source } of client.fetch(fresh, { source: true }, { uid: true })) {
          if (source !== undefined) known.set(String(uid), await parseMail(String(uid), source))
        }
      }
      return [...known.values()]
    },
    ...(options.isDeleting && {
      async remove({ id }: Mail) {
        await client.messageDelete(id, { uid: true })
      },
    }),
    async close() {
      // A connection that broke has ended already.
      if (client.usable) await client.logout()
    },
  }
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

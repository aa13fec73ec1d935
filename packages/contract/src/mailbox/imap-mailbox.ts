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
  // A connection that breaks makes the next list fail.
  client.on('error', () => {})
  await client.connect()
  await client.mailboxOpen(INBOX, { readOnly: !options.isDeleting })
  const since = new Date()
  const known = new Map<string, Mail>()
  return {
    async list() {
      await client.noop()
      // The server compares days; what is older in the day is left out by its date.
      const found = await client.search({ since }, { uid: true })
      const uids = found === false || found === undefined ? [] : found
      const fresh = uids.filter((uid) => !known.has(String(uid)))
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
    close: () => client.logout(),
  }
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

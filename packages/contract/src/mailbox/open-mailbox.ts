import { fill, filledCommand, mustExecute } from '../operator/operator.ts'
import type { Wire } from '../net/wire.ts'
import { type Mailbox, type MailboxOptions, mailsOf } from './mailbox.ts'

/**
 * Opens the mailbox of `--mailbox`: `imap(s)://`, `http(s)://`, `maildir:`, `smtp:PORT` or `command:`. `{host}` in an
 * address or a command is the host of the instance.
 * @throws Error when it is none of them, cannot be opened, or cannot delete and shall
 */
export async function openMailbox(
  text: string,
  wire: Wire,
  options: MailboxOptions = { isDeleting: false },
): Promise<Mailbox> {
  const mailbox = await open(text, wire, options)
  if (!options.isDeleting || mailbox.remove !== undefined) return mailbox
  await mailbox.close()
  throw new Error(`${text}: nothing can be deleted there`)
}

async function open(text: string, wire: Wire, options: MailboxOptions): Promise<Mailbox> {
  const [, kind = '', rest = ''] = /^([a-z]+):(.*)$/s.exec(text) ?? []
  if (kind === 'http' || kind === 'https') return httpMailbox(text, wire)
  if (kind === 'command') return commandMailbox(rest)
  if (kind === 'maildir') return (await import('./maildir.ts')).maildir(rest, options)
  if (kind === 'imap' || kind === 'imaps') {
    return (await import('./imap-mailbox.ts')).imapMailbox(text, options)
  }
  if (kind === 'smtp' && /^[1-9]\d{0,4}$/.test(rest)) {
    return (await import('./smtp-mailbox.ts')).smtpMailbox(Number(rest))
  }
  throw new Error(`${text}: write imap(s)://, http(s)://, maildir:, smtp:PORT or command:`)
}

/** A list of mails as JSON, newest first. */
function httpMailbox(template: string, wire: Wire): Mailbox {
  return {
    async list(host) {
      const url = fill(template, { host })
      const headers = [['Accept', 'application/json']] as const
      // The rest of the address may be a key to the mails, and what is wrong stands in the report.
      const where = `the mailbox at ${new URL(url).host}`
      const { answer, fault } = await wire.send('mailbox', { method: 'GET', url, headers })
      if (answer === undefined) throw new Error(`${where}: ${fault ?? 'no answer'}`)
      if (answer.status !== 200) throw new Error(`${where}: the answer is ${answer.status}`)
      return mailsOf(answer.body)
    },
    close: async () => {},
  }
}

/** A program that prints such a list. */
function commandMailbox(command: string): Mailbox {
  const words = command.split(' ').filter((word) => word !== '')
  return {
    list: async (host) => mailsOf(await mustExecute(filledCommand(words, { host }))),
    close: async () => {},
  }
}

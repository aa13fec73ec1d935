import { fill, filledCommand, mustExecute } from '../operator/operator.ts'
import type { Wire } from '../net/wire.ts'
import { type Mailbox, mailsOf } from './mailbox.ts'

/**
 * Opens the mailbox of `--mailbox`: `http(s)://`, `maildir:`, `smtp:PORT` or `command:`. `{host}` in an
 * address or a command is the host of the instance.
 * @throws Error when it is none of them, or cannot be opened
 */
export async function openMailbox(text: string, wire: Wire): Promise<Mailbox> {
  const [, kind = '', rest = ''] = /^([a-z]+):(.*)$/s.exec(text) ?? []
  if (kind === 'http' || kind === 'https') return httpMailbox(text, wire)
  if (kind === 'command') return commandMailbox(rest)
  if (kind === 'maildir') return (await import('./maildir.ts')).maildir(rest)
  if (kind === 'smtp' && /^[1-9]\d{0,4}$/.test(rest)) {
    return (await import('./smtp-mailbox.ts')).smtpMailbox(Number(rest))
  }
  throw new Error(`${text}: write http(s)://, maildir:, smtp:PORT or command:`)
}

/** A list of mails as JSON, newest first. */
function httpMailbox(template: string, wire: Wire): Mailbox {
  return {
    async list(host) {
      const url = fill(template, { host })
      const headers = [['Accept', 'application/json']] as const
      const { answer, fault } = await wire.send('mailbox', { method: 'GET', url, headers })
      if (answer === undefined) throw new Error(`${url}: ${fault ?? 'no answer'}`)
      if (answer.status !== 200) throw new Error(`${url}: the answer is ${answer.status}`)
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

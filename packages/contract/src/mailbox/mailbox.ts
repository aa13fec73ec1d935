import type { Environment } from '../model/environment.ts'

/** A mail as far as checks look at it. */
export interface Mail {
  readonly id: string
  readonly date: Date
  /** Addresses, separated by commas. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** How a mailbox is opened. */
export interface MailboxOptions {
  /** Whether mails that were read are deleted. */
  readonly isDeleting: boolean
  /** Certificates of authorities beside the known ones; PEM. */
  readonly ca?: string
  /** Where a password is looked for that the address does not have. */
  readonly environment?: Environment
}

/** Where the mails of an owner come to. */
export interface Mailbox {
  /**
   * Mails that are there now.
   * @param host - of the instance that they are about
   * @throws Error when it cannot be read
   */
  list(host: string): Promise<readonly Mail[]>
  /** Deletes a mail that was read; absent where nothing can be deleted, or nothing shall be. */
  remove?(mail: Mail): Promise<void>
  close(): Promise<void>
}

/** A mail of which some members lack, as programs and servers give it. */
export function mailOf(given: Readonly<Record<string, unknown>>): Mail {
  const text = (name: string): string => {
    const value = given[name]
    return typeof value === 'string' ? value : ''
  }
  return {
    id: text('id'),
    date: new Date(text('date')),
    to: text('to'),
    subject: text('subject'),
    text: text('text'),
    html: text('html'),
  }
}

/** Reads a list of mails as JSON. @throws Error when it is none */
export function mailsOf(json: string): readonly Mail[] {
  const list: unknown = JSON.parse(json)
  if (!Array.isArray(list)) throw new Error('the mailbox answers no list')
  return list.map((one) => mailOf((one ?? {}) as Record<string, unknown>)) // members are looked at one by one
}

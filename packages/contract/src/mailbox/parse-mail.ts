import PostalMime from 'postal-mime'
import type { Mail } from './mailbox.ts'

/** Reads a mail as it is sent (RFC 5322). @param recipients - of its envelope, where they are known */
export async function parseMail(
  id: string,
  raw: string | Uint8Array,
  recipients: readonly string[] = [],
): Promise<Mail> {
  const { date, to = [], subject = '', text = '', html = '' } = await PostalMime.parse(raw)
  const addresses = to.flatMap(({ address }) => address ?? [])
  return {
    id,
    // Without a date it is as old as mails can be.
    date: new Date(date ?? 0),
    to: [...new Set([...addresses, ...recipients])].join(', '),
    subject,
    text,
    html,
  }
}

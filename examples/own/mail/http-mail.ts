import { MailError, type MailTransport, type OutgoingMail } from '@svc/notify'

export interface HttpMailOptions {
  /** Where the provider takes mails. */
  readonly url: string
  readonly token: string
}

/** Mails over the HTTP interface of a provider, in the place of SMTP. */
export function httpMail({ url, token }: HttpMailOptions): MailTransport {
  return {
    async send(mail, signal) {
      let response: Response
      try {
        response = await fetch(url, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            // The same at every attempt: the provider drops repeats by it.
            'idempotency-key': mail.messageId,
          },
          body: JSON.stringify(toWire(mail)),
          redirect: 'error',
          signal: signal ?? null,
        })
      } catch (cause) {
        // Not reached, cut off, or too slow: it may have taken the mail all the same.
        throw new MailError('transient', 'unreachable', { cause })
      }
      await response.body?.cancel()
      if (!response.ok) throw new MailError(failureOf(response.status), `http_${response.status}`)
    },
  }
}

/** Whose fault it is: only what may pass by itself is worth another try. */
function failureOf(status: number): MailError['failure'] {
  if (status === 408 || status === 429 || status >= 500) return 'transient'
  // The token, the address of the interface, or a payment: the operator has to mend it.
  if ([401, 402, 403, 404, 405].includes(status)) return 'config'
  // This mail, to this address, will never be taken.
  return 'permanent'
}

function toWire(mail: OutgoingMail): object {
  const { from, to, replyTo, subject, text, html, unsubscribe } = mail
  return {
    from,
    to: [to],
    ...(replyTo !== undefined && { reply_to: replyTo }),
    subject,
    text,
    html,
    headers: {
      'Message-ID': mail.messageId,
      'Auto-Submitted': 'auto-generated',
      'Content-Language': mail.locale,
      ...(unsubscribe !== undefined && {
        'List-Id': `<${unsubscribe.listId}>`,
        'List-Unsubscribe': `<${unsubscribe.url}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
  }
}

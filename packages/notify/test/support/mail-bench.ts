import { type Mailbox, openMailbox, type ReceivedMail } from '@svc/testkit'
import type { ChannelOutcome } from '../../src/channels/channel.ts'
import { smtpTransport } from '../../src/mail/smtp-transport.ts'
import { createMailChannel } from '../../src/channels/mail-channel.ts'
import type { SmtpOptions } from '../../src/mail/smtp-options.ts'
import type { MailSettings } from '../../src/mail/mail-options.ts'
import type { NotificationRecord } from '../../src/outbox/notification.ts'
import type { NotifyApps } from '../../src/ports.ts'
import type { MailLinks } from '../../src/mail/app-mails.ts'
import { openRenderBench, type RenderBench } from './render-bench.ts'
import { type NotificationChanges, sampleNotification } from './sample-notification.ts'

/** The mail channel between a real renderer and a real SMTP server. */
export interface MailBench extends RenderBench {
  readonly mailbox: Mailbox
  /** Of the channel and of what renders. */
  readonly logged: readonly string[]
  /** Ways out of all mails. */
  links: MailLinks
  refusal: (Error & { responseCode?: number }) | undefined
  attempt(
    changes?: NotificationChanges,
    options?: { readonly as?: RenderBench['alice']; readonly signal?: AbortSignal },
  ): Promise<ChannelOutcome & { readonly record: NotificationRecord }>
  /** The mail of a notification that goes out. @throws Error when it does not */
  mail(changes?: NotificationChanges, as?: RenderBench['alice']): Promise<ReceivedMail>
}

export interface MailBenchOptions {
  readonly apps?: NotifyApps
  readonly smtp?: Partial<SmtpOptions>
  readonly settings?: Omit<MailSettings, 'transport'>
  readonly contexts?: Readonly<Record<string, Partial<MailSettings>>>
}

export async function openMailBench(options: MailBenchOptions = {}): Promise<MailBench> {
  const bench = await openRenderBench(options.apps)
  const mailbox = await openMailbox({ refuse: () => self.refusal })
  const mailOptions = {
    transport: smtpTransport({
      host: '127.0.0.1',
      port: mailbox.port,
      disableTls: true,
      ...options.smtp,
    }),
    ...options.settings,
    ...(options.contexts && { contexts: options.contexts }),
  }
  const mailSender = { options: mailOptions }
  const channel = createMailChannel({ ...bench.services, mailSender }, () => self.links)
  const self: MailBench = {
    ...bench,
    mailbox,
    logged: bench.lines,
    links: {},
    refusal: undefined,
    async attempt(changes, { as = bench.alice, signal = new AbortController().signal } = {}) {
      const record = sampleNotification(changes)
      return { record, ...(await channel.attempt({ instance: as, record, signal })) }
    },
    async mail(changes, as) {
      mailbox.clear()
      const { class: ended, code } = await self.attempt(changes, as && { as })
      if (ended !== 'sent') throw new Error(`not sent: ${ended} ${code}`)
      return mailbox.waitForMail()
    },
    async close() {
      await mailbox.close()
      await bench.close()
    },
  }
  return self
}

/** A header as it came, without the ends of its lines. */
export function headerOf(mail: ReceivedMail, name: string): string | undefined {
  return mail.headers.find(({ key }) => key === name.toLowerCase())?.value
}

/** SMTP has its own ends of lines, and one more at the end. */
export function lineEnds(content = ''): string {
  return content.replaceAll('\r\n', '\n').trimEnd()
}

import { afterTest, openMailbox, type ReceivedMail } from '@svc/testkit'
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

export type MailBench = Awaited<ReturnType<typeof openMailBench>>

export interface MailBenchOptions {
  readonly apps?: NotifyApps
  readonly smtp?: Partial<SmtpOptions>
  readonly settings?: Omit<MailSettings, 'transport'>
  readonly contexts?: Readonly<Record<string, Partial<MailSettings>>>
}

/** The mail channel between a real renderer and a real SMTP server. */
export async function openMailBench(options: MailBenchOptions = {}) {
  const bench = await openRenderBench(options.apps)
  /** Ways out of all mails, and what the SMTP server refuses with. */
  const settings: { links: MailLinks; refusal?: Error & { responseCode?: number } } = { links: {} }
  const mailbox = await openMailbox({ refuse: () => settings.refusal })
  afterTest(() => mailbox.close())
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
  const channel = createMailChannel({ ...bench.services, mailSender }, () => settings.links)
  async function attempt(
    changes?: NotificationChanges,
    {
      as = bench.alice,
      signal = new AbortController().signal,
    }: { readonly as?: RenderBench['alice']; readonly signal?: AbortSignal } = {},
  ): Promise<ChannelOutcome & { readonly record: NotificationRecord }> {
    const record = sampleNotification(changes)
    return { record, ...(await channel.attempt({ instance: as, record, signal })) }
  }
  return Object.assign(settings, {
    ...bench,
    mailbox,
    /** Of the channel and of what renders. */
    logged: bench.lines,
    attempt,
    /** The mail of a notification that goes out. @throws Error when it does not */
    async mail(changes?: NotificationChanges, as = bench.alice) {
      mailbox.clear()
      const { class: ended, code } = await attempt(changes, { as })
      if (ended !== 'sent') throw new Error(`not sent: ${ended} ${code}`)
      return mailbox.waitForMail()
    },
  })
}

/** A header as it came, without the ends of its lines. */
export function headerOf(mail: ReceivedMail, name: string): string | undefined {
  return mail.headers.find(({ key }) => key === name.toLowerCase())?.value
}

/** Where its `List-Unsubscribe` leads. */
export function wayOutOf(mail: ReceivedMail): string {
  return /<(https:[^>]+)>/.exec(headerOf(mail, 'list-unsubscribe') ?? '')?.[1] ?? ''
}

/** SMTP has its own ends of lines, and one more at the end. */
export function lineEnds(content = ''): string {
  return content.replaceAll('\r\n', '\n').trimEnd()
}

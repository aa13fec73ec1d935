import { type Instance, parseAddress } from '@svc/platform'
import type { CircuitBreaker } from '../circuit-breaker.ts'
import { type MailAddress, toHeaderText } from './mail-address.ts'
import { productName } from './mail-footer.ts'
import { isMailError, MailError } from './mail-error.ts'
import type { MailOptions } from './mail-options.ts'
import type { MailTransport, OutgoingMail } from '../ports.ts'
import type { RenderedMail } from './templates.ts'

/** A mail to an owner, written but not addressed. */
export interface WrittenMail extends RenderedMail {
  /** In angle brackets. */
  readonly messageId: string
  /** Name of what it was made from. */
  readonly template: string
  /** Which app it is from: its name, or words with it. */
  readonly app?: string
  /** @see OutgoingMail.unsubscribe */
  readonly unsubscribe?: OutgoingMail['unsubscribe']
}

/** How mails are addressed and handed over: with the sender and the transport of the instance's context. */
export interface MailSender {
  readonly options: MailOptions
  /** Keeps a mail server that says nothing from holding up the others; without it every mail is tried. */
  readonly breaker?: CircuitBreaker<MailTransport>
}

/** Whether it left this machine. */
export type SentMail = 'kept' | 'sent'

/**
 * Sends a mail to the owner's address in the instance's settings.
 * @throws MailError `permanent` without a usable address, else as the transport says
 */
export async function sendToOwner(
  sender: MailSender,
  instance: Instance,
  mail: WrittenMail,
  signal?: AbortSignal,
): Promise<SentMail> {
  const address = requireAddress(instance.email)
  const name = toHeaderText(instance.publicName ?? '', 100)
  return send(sender, instance, name === '' ? { address } : { name, address }, mail, signal)
}

/** Sends a mail to an address that is about to become the owner's, without a name. @throws MailError */
export async function sendToPending(
  sender: MailSender,
  instance: Instance,
  address: string | undefined,
  mail: WrittenMail,
): Promise<SentMail> {
  return send(sender, instance, { address: requireAddress(address) }, mail)
}

async function send(
  { breaker, options }: MailSender,
  instance: Instance,
  to: MailAddress,
  { messageId, template, app, subject, text, html, locale, unsubscribe }: WrittenMail,
  signal?: AbortSignal,
): Promise<SentMail> {
  const outgoing: OutgoingMail = {
    messageId,
    instanceId: instance.id,
    domain: instance.domain,
    template,
    ...sendersOf(instance, options, app),
    to,
    subject,
    text,
    html,
    locale,
    ...(unsubscribe !== undefined && { unsubscribe }),
  }
  const { transport = options.transport } = contextOf(instance, options)
  const ask = (): Promise<void> => transport.send(outgoing, signal)
  if (breaker === undefined || signal === undefined) await ask()
  else {
    const answer = await breaker.call(transport, signal, ask, isSilence)
    if (typeof answer === 'string') throw new MailError('transient', answer)
  }
  return transport.keeps === true ? 'kept' : 'sent'
}

function isSilence(end: void | Error): boolean {
  return isMailError(end) && end.reason === 'timeout'
}

/** Message ids and list ids end in it. */
export function hostOf(domain: string): string {
  return domain.replace(/:\d+$/, '')
}

function requireAddress(written: string | undefined): string {
  if (written === undefined) throw new MailError('permanent', 'no_email')
  const address = parseAddress(written)
  if (address === undefined) throw new MailError('permanent', 'bad_email')
  return address
}

function sendersOf(
  instance: Instance,
  options: MailOptions,
  app?: string,
): { from: MailAddress; replyTo?: MailAddress } {
  const context = contextOf(instance, options)
  const { noreplyName = options.noreplyName ?? productName(options, instance) } = context
  const name = noreplyName ?? hostOf(instance.domain)
  const address =
    context.noreplyAddress ?? options.noreplyAddress ?? `noreply@${hostOf(instance.domain)}`
  const replyTo = repliesOf(instance, options)
  const own = toHeaderText(name, 100)
  const from = app === undefined ? own : `${toHeaderText(app, 100)} · ${own}`
  return {
    from: { name: from, address },
    ...(replyTo !== undefined && { replyTo: { name: own, address: replyTo } }),
  }
}

/** Where replies to mails of the instance go; undefined: nowhere. */
export function repliesOf(instance: Instance, options: MailOptions): string | undefined {
  return contextOf(instance, options).replyTo ?? options.replyTo
}

function contextOf(instance: Instance, options: MailOptions): Partial<MailOptions> {
  const { context } = instance
  if (context === undefined || options.contexts === undefined) return {}
  return Object.hasOwn(options.contexts, context) ? (options.contexts[context] ?? {}) : {}
}

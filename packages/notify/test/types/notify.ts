// Compiled, never run: what the types promise and refuse.
import { createNotify, type Mailer, type MailTransport, smtpTransport } from '@svc/notify'
import type { Instance, Logger } from '@svc/oauth-core'

type Equals<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function assertType<_Holds extends true>(): void {}

export async function checkNotify(log: Logger, instance: Instance): Promise<void> {
  const transport = smtpTransport({ host: 'localhost' })
  assertType<Equals<typeof transport, MailTransport>>()
  const { mailer } = createNotify({ log, channels: { mail: { transport } } })
  assertType<Equals<typeof mailer, Mailer>>()

  // @ts-expect-error an onboarding mail carries its link
  await mailer.send(instance, { template: 'onboarding', variables: {} })
  // @ts-expect-error there is no mail of this name
  await mailer.send(instance, { template: 'newsletter', variables: { url: 'https://a.example/' } })
  // @ts-expect-error the recipient is the owner, never the caller's choice
  await mailer.send(instance, { template: 'onboarding', to: 'x@y.example', variables: { url: '' } })
}

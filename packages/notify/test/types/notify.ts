// Compiled, never run: what the types promise and refuse.
import {
  createNotify,
  type Mailer,
  type MailTransport,
  type RenderedMail,
  smtpTransport,
  type SystemMail,
} from '@svc/notify'
import type { OAuth } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'

type Equals<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function assertType<_Holds extends true>(): void {}

export async function checkNotify(oauth: OAuth, instance: Instance): Promise<void> {
  const transport = smtpTransport({ host: 'localhost' })
  assertType<Equals<typeof transport, MailTransport>>()
  const { mailer, render } = createNotify({ oauth, channels: { mail: { transport } } })
  assertType<Equals<typeof mailer, Mailer>>()

  // @ts-expect-error an onboarding mail carries its link
  await mailer.send(instance, { template: 'onboarding', variables: {} })
  // @ts-expect-error there is no mail of this name
  await mailer.send(instance, { template: 'newsletter', variables: { url: 'https://a.example/' } })
  // @ts-expect-error the recipient is the owner, never the caller's choice
  await mailer.send(instance, { template: 'onboarding', to: 'x@y.example', variables: { url: '' } })

  const lived = { time: 0, address: '203.0.113.7', minutes: 5 }
  const code = { ...lived, passcode: '1', purpose: 'login' } as const
  const mail: SystemMail = { template: 'two_factor', variables: code }
  const rendered = await render(instance, mail)
  assertType<Equals<typeof rendered, RenderedMail>>()
  const other = { ...code, purpose: 'fun' } as const
  // @ts-expect-error codes are for known purposes
  await mailer.send(instance, { template: 'two_factor', variables: other })
  // @ts-expect-error how long a link works must be said
  await mailer.send(instance, {
    template: 'magic_link',
    variables: { url: '', time: 0, address: '' },
  })
}

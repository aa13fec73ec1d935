import { HOUR_MS, type Instance, MINUTE_MS } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { masked } from '../owner/profile.ts'
import { withAddress } from '../owner/news.ts'
import type { RequestFacts } from '../ports.ts'
import type { AuthUiServices } from '../services.ts'
import { settingsUrl } from '../web/settings-app.ts'

/** How long the owner waits for the old mailbox at most; the change does not depend on it (owner.md 1.7). */
const OLD_MAILBOX_MS = 20_000

/** Mails the link that proves the new address. @throws AuthUiError `mail_failed` */
export async function mailProof(
  services: AuthUiServices,
  instance: Instance,
  facts: RequestFacts,
  { address, token }: { readonly address: string; readonly token: string },
): Promise<void> {
  try {
    await services.mailer.send(instance, {
      template: 'update_email',
      variables: {
        ...facts,
        recipient: address,
        url: `${instance.origin}/auth/email?token=${token}`,
        minutes: Math.floor(services.lifetimes.emailChange / MINUTE_MS),
      },
    })
  } catch (cause) {
    throw new AuthUiError('mail_failed', { cause })
  }
}

/** Tells the present address that another one is to take its place. No answer waits for it. */
export function mailRequested(
  services: AuthUiServices,
  instance: Instance,
  facts: RequestFacts,
  address: string,
): void {
  if (instance.email === undefined) return
  services.background.run('mail.email_change_requested', async () => {
    const url = await settingsUrl(services, instance, 'profile')
    await services.mailer.send(instance, {
      template: 'email_change_requested',
      variables: { ...facts, url, newAddress: masked(address) },
    })
  })
}

/**
 * Tells the address of before that it is about to be replaced, with the way back where there is one. Before the write:
 * whatever stops the server in between leaves the old address in its place. A mailbox that takes no mail stops nothing.
 */
export async function mailChanged(
  services: AuthUiServices,
  instance: Instance,
  facts: RequestFacts,
  { address, undoToken }: { readonly address: string; readonly undoToken: string | undefined },
): Promise<void> {
  const told = { ...facts, newAddress: masked(address) }
  const url = `${instance.origin}/auth/email/undo?token=${undoToken}`
  const hours = Math.floor(services.lifetimes.emailUndo / HOUR_MS)
  const sending = services.mailer.send(instance, {
    template: 'email_changed',
    variables: undoToken === undefined ? told : { ...told, url, hours },
  })
  const noted = sending.catch((error: unknown) => {
    services.log.error('email.old_untold', { domain: instance.domain, cause: String(error) })
  })
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, OLD_MAILBOX_MS)
  })
  await Promise.race([noted, patience]).finally(() => clearTimeout(timer))
}

/** Tells both addresses that the owner's is the old one again; only that one gets a way on. */
export function mailUndone(
  services: AuthUiServices,
  instance: Instance,
  facts: RequestFacts,
  { kept, dropped }: { readonly kept: string; readonly dropped: string },
): void {
  const newAddress = masked(dropped)
  const url = `${instance.origin}/auth/passphrase_reset`
  services.background.run('mail.email_undone', () =>
    services.mailer.send(withAddress(instance, kept), {
      template: 'email_undone',
      variables: { ...facts, url, newAddress },
    }),
  )
  services.background.run('mail.email_undone', () =>
    services.mailer.send(withAddress(instance, dropped), {
      template: 'email_undone',
      variables: { ...facts, newAddress },
    }),
  )
}

import type { Instance } from '@svc/platform'
import type { SystemMail } from '../ports.ts'
import type { AuthUiServices } from '../services.ts'
import { readProfile, undoablePrevious } from './profile.ts'

/** Mails of which the address of before gets a copy. @see owner.md 1.5 */
export type NewsMail = Extract<
  SystemMail,
  { template: 'auth_mode_changed' | 'new_connection' | 'passphrase_changed' }
>

/** The instance as mails see it that go to another address than the owner's. */
export function withAddress(instance: Instance, email: string): Instance {
  return { ...instance, email }
}

/**
 * Tells the owner what was done; and, while a change of the mail address can be taken back, the address of before, with
 * nothing to act on.
 */
export async function sendNews(
  services: Pick<AuthUiServices, 'clock' | 'mailer' | 'oauth' | 'store'>,
  instance: Instance,
  mail: NewsMail,
): Promise<void> {
  // The request may have begun with the address of before.
  const fresh = (await services.oauth.instances.byId(instance.id)) ?? instance
  const previous = undoablePrevious(await readProfile(services, fresh), services.clock.now())
  const copies =
    previous === undefined
      ? []
      : [services.mailer.send(withAddress(fresh, previous.address), toCopy(mail))]
  for (const sent of await Promise.allSettled([services.mailer.send(fresh, mail), ...copies])) {
    // Neither mailbox keeps the other from being told.
    if (sent.status === 'rejected') throw sent.reason
  }
}

function toCopy(mail: NewsMail): NewsMail {
  const { url: _url, ...facts } = mail.variables
  // The same mail without what to act on.
  return { ...mail, variables: { ...facts, isCopy: true } } as NewsMail
}

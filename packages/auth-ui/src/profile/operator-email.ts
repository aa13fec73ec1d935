import type { Instance } from '@svc/platform'
import { withAddress } from '../owner/news.ts'
import { changeProfile, masked } from '../owner/profile.ts'
import type { AuthUiServices } from '../services.ts'

/**
 * Another mail address on the operator's authority: nothing is to be proven and nothing can be taken back, what was
 * under way is given up, and both addresses are told.
 * @param email - `null`: none any more
 * @throws TypeError for a malformed address
 * @see owner.md 1.10
 */
export async function setEmail(
  services: AuthUiServices,
  instance: Instance,
  email: string | null,
): Promise<Instance> {
  let before: string | undefined
  const changed = await changeProfile(services, instance, ({ profile, instance: current }) => {
    const { emailPending: _pending, emailPrevious: _previous, ...kept } = profile
    before = current.email
    return { profile: kept, update: { email } }
  })
  if (before === (email ?? undefined)) return changed
  services.log.info('email.set', { domain: instance.domain })
  const facts = { time: services.clock.now(), address: '' }
  const variables = { ...facts, newAddress: email === null ? '' : masked(email) }
  for (const address of [before, changed.email]) {
    if (address === undefined || email === null) continue
    services.background.run('mail.email_changed', () =>
      services.mailer.send(withAddress(changed, address), { template: 'email_changed', variables }),
    )
  }
  return changed
}

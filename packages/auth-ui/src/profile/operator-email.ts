import type { Instance, InstanceUpdate } from '@svc/platform'
import { withAddress } from '../owner/news.ts'
import { changeProfile, masked } from '../owner/profile.ts'
import type { AuthUiServices } from '../services.ts'

/**
 * Changes an instance on the operator's authority. With another mail address nothing is to be proven and nothing can be
 * taken back, what was under way is given up, and both addresses are told.
 * @throws TypeError for malformed members, InstanceError as `instances.update`
 * @see owner.md 1.10
 */
export async function updateByHost(
  services: AuthUiServices,
  instance: Instance,
  update: InstanceUpdate,
): Promise<Instance> {
  if (update.email === undefined) return services.oauth.instances.update(instance.id, update)
  let before: string | undefined
  const changed = await changeProfile(services, instance, ({ profile, instance: current }) => {
    before = current.email
    if (before === (update.email ?? undefined)) return { profile, update }
    const { emailPending: _pending, emailPrevious: _previous, ...kept } = profile
    return { profile: kept, update }
  })
  const { email } = changed
  if (before === email) return changed
  services.log.info('email.set', { domain: instance.domain })
  if (email === undefined) return changed
  const variables = { time: services.clock.now(), address: '', newAddress: masked(email) }
  for (const address of before === undefined ? [email] : [before, email]) {
    services.background.run('mail.email_changed', () =>
      services.mailer.send(withAddress(changed, address), { template: 'email_changed', variables }),
    )
  }
  return changed
}

import type { Instance, InstanceUpdate } from '@svc/platform'
import type { Change } from '@svc/store'
import { withAddress } from '../owner/news.ts'
import { changeProfile, masked } from '../owner/profile.ts'
import type { AuthUiServices } from '../services.ts'
import { noteOperator } from '../web/activity.ts'

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
  const also = noteChange(services, instance, update)
  if (update.email === undefined) {
    return services.oauth.instances.changeWith(instance.id, async () => ({ update, also }))
  }
  let before: string | undefined
  const changed = await changeProfile(services, instance, ({ profile, instance: current }) => {
    before = current.email
    if (before === (update.email ?? undefined)) return { profile, update, also }
    const { emailPending: _pending, emailPrevious: _previous, ...kept } = profile
    return { profile: kept, update, also }
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

/** Notes which members the operator changed, and no value of any. */
function noteChange(
  services: AuthUiServices,
  instance: Instance,
  update: InstanceUpdate,
): readonly Change[] {
  const before: Readonly<Record<string, unknown>> = { ...instance }
  const members = Object.entries(update)
    .filter(
      ([name, value]) => JSON.stringify(value ?? null) !== JSON.stringify(before[name] ?? null),
    )
    .map(([name]) => name)
  if (members.length === 0) return []
  return noteOperator(services, instance, { event: 'instance.changed', detail: { members } })
}

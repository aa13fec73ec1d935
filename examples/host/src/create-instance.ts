import type { ImportedOwners } from '@svc/auth-ui'
import type { Instance, NewInstance } from '@svc/platform'
import type { HostServices } from './services.ts'

export interface CreatedInstance {
  readonly instance: Instance
  /** Where the owner chooses the passphrase; absent when one was given, or none is needed. */
  readonly onboardingUrl?: string
}

/**
 * Creates an instance with its owner and its first apps in one write. The owner gets the onboarding link by mail
 * when an address is known; a mail that cannot be sent is logged, the link is in the answer all the same.
 * @param passphrase - raw; then the owner is onboarded at once
 * @param options - `magicLink`: mailed links log in; without a passphrase they are the only way
 * @throws TypeError for malformed input, InstanceError `domain_taken`
 */
export async function createInstance(
  {
    oauth,
    ui,
    apps,
    notify,
    devPages,
  }: Pick<HostServices, 'oauth' | 'ui' | 'apps' | 'notify' | 'devPages'>,
  input: NewInstance,
  passphrase?: string,
  { magicLink = false }: { readonly magicLink?: boolean } = {},
): Promise<CreatedInstance> {
  const owner = ui.owners.prepare(input.domain)
  const instance = await oauth.instances.create(input, (id) => [
    ...owner.changes(id),
    ...apps.initialChanges(id),
  ])
  await devPages.noteHosts([instance.domain, ...instance.aliases])
  if (passphrase !== undefined) {
    await ui.owners.setPassphrase(instance, passphrase)
    if (magicLink) await ui.owners.setMagicLink(instance, true)
    return { instance }
  }
  if (magicLink) {
    await ui.owners.onboardWithMagicLink(instance)
    return { instance }
  }
  const onboardingUrl = `${instance.origin}/auth/passphrase?registerToken=${owner.registerToken}`
  if (instance.email !== undefined) {
    await notify.mailer
      .send(instance, { template: 'onboarding', variables: { url: onboardingUrl } })
      .catch(() => {}) // The mailer has logged it.
  }
  return { instance, onboardingUrl }
}

/**
 * Takes owners in from elsewhere, each with the first apps. Nobody is mailed: the links are in the answer.
 * @param lines - an owner each, as JSON text
 * @throws OwnerImportError with every fault
 */
export async function importOwners(
  { ui, apps, devPages }: Pick<HostServices, 'apps' | 'devPages' | 'ui'>,
  lines: readonly string[],
  { dryRun }: { readonly dryRun: boolean },
): Promise<ImportedOwners> {
  const imported = await ui.owners.importAll(lines, { dryRun, changes: apps.initialChanges })
  if (!dryRun) await devPages.noteHosts(imported.owners.map(({ domain }) => domain))
  return imported
}

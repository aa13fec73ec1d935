import type { Instance } from '@svc/platform'
import { notifyHost } from '../background.ts'
import { AuthUiError } from '../errors.ts'
import type { AuthUiServices } from '../services.ts'
import { type HostField, type HostFieldChange, isAddress } from './host-profile-option.ts'

/** Where the host has the owner change its fields; nothing for those that are changed here. */
export function hostLinksOf(
  { options: { profile } }: Pick<AuthUiServices, 'options'>,
  instance: Instance,
): Readonly<Partial<Record<HostField, string>>> {
  return Object.fromEntries(
    profile.fields.flatMap((field) => {
      const link = profile.link[field]
      const href = typeof link === 'function' ? link(instance) : link
      return href !== undefined && isAddress(href) ? [[field, href]] : []
    }),
  )
}

/** @throws AuthUiError `conflict` for a field that is changed at the host */
export function requireChangedHere(
  { options: { profile } }: Pick<AuthUiServices, 'options'>,
  field: HostField,
): void {
  if (profile.link[field] === undefined) return
  throw new AuthUiError('conflict', { description: `${field} is changed where its link leads` })
}

/** Asks the host before a field is written. @throws what the host throws */
export async function askHost(
  { options: { profile } }: Pick<AuthUiServices, 'options'>,
  change: HostFieldChange,
): Promise<void> {
  if (profile.fields.includes(change.field)) await profile.onChange?.(change)
}

/** Tells the host that a field was written. */
export async function tellHost(
  { options: { profile }, log }: Pick<AuthUiServices, 'options' | 'log'>,
  change: HostFieldChange | undefined,
): Promise<void> {
  if (change === undefined || !profile.fields.includes(change.field)) return
  await notifyHost(log, 'profile.onChanged', () => profile.onChanged?.(change))
}

/** Asks the host about what it cannot refuse: the owner takes a change back that a thief may have made. */
export async function askHostOfUndo(
  services: Pick<AuthUiServices, 'options' | 'log'>,
  change: HostFieldChange,
): Promise<void> {
  await notifyHost(services.log, 'profile.onChange', () => askHost(services, change))
}

import type { Instance } from '@svc/platform'
import { either, func, group, list, oneOf, type Option, text } from '@svc/platform/options'

/** A field of the profile that a host may keep. */
export type HostField = 'email' | 'public_name'

/** Where an owner changes a field at the host: an absolute address, or what answers one for an instance. */
export type HostFieldLink = string | ((instance: Instance) => string)

/** A change that the owner asked for. */
export interface HostFieldChange {
  /** As it is before the change. */
  readonly instance: Instance
  readonly field: HostField
  readonly before?: string
  readonly value: string
  /** The owner takes an earlier change of the mail address back, from the mailbox of before: no veto is heard. */
  readonly undone?: true
}

/** Fields of the profile that the host keeps in records of its own. */
export interface HostProfile {
  /** Which these are. @defaultValue none */
  readonly fields?: readonly HostField[]
  /**
   * Comes before such a field is written. A thrown `HttpError` refuses the change and is what the owner is answered;
   * any other error refuses it, too, as 500. It may come again for the same change, when another write came first.
   * @defaultValue every change is taken
   */
  readonly onChange?: (change: HostFieldChange) => Promise<void> | void
  /** Comes after it was written. A failure is logged and undoes nothing. @defaultValue nobody is told */
  readonly onChanged?: (change: HostFieldChange) => Promise<void> | void
  /** Fields that are shown here and changed at the host. @defaultValue none */
  readonly link?: {
    /** Where the mail address is changed. @defaultValue here */
    readonly email?: HostFieldLink
    /** Where the name is changed. @defaultValue here */
    readonly public_name?: HostFieldLink
  }
}

/** The host's part of the profile, settled. */
export interface ResolvedHostProfile extends HostProfile {
  readonly fields: readonly HostField[]
  readonly link: NonNullable<HostProfile['link']>
}

const FIELDS = ['email', 'public_name'] as const
const LINK = either(
  text('an absolute http or https address', isAddress),
  func<(instance: Instance) => string>(),
)

export function hostProfile(): Option<HostProfile, ResolvedHostProfile, false> {
  return group({
    fields: list(oneOf(FIELDS), FIELDS.length).or([], 'none'),
    onChange: func<NonNullable<HostProfile['onChange']>>().optional('every change is taken'),
    onChanged: func<NonNullable<HostProfile['onChanged']>>().optional('nobody is told'),
    link: group({ email: LINK.optional('here'), public_name: LINK.optional('here') }),
  }).that(({ fields, link }) => {
    const stray = FIELDS.find((field) => link[field] !== undefined && !fields.includes(field))
    return stray === undefined ? undefined : `must name ${stray} in fields, since it has a link`
  })
}

/** Whether a text is an absolute address of a page. */
export function isAddress(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:')
}

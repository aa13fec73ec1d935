import {
  defineRoute,
  type Instance,
  MINUTE_MS,
  randomHex,
  type Route,
  type RouteContext,
} from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { changeProfile, findProfile, type PendingPhone, readProfile } from '../owner/profile.ts'
import type { OwnerContacts } from '../ports.ts'
import type { AuthUiServices } from '../services.ts'
import { CONFIRMED_SCHEMA, type ConfirmedBody } from '../settings/factors.schema.ts'
import { confirmedOwner } from '../settings/settings-owner.ts'
import { noteOwn } from '../web/activity.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { refuseBody } from '../web/posted.ts'
import {
  isPhoneCode,
  livePendingPhone,
  newPhoneCode,
  phoneCodeHash,
  readPhone,
} from './phone-code.ts'
import { answerProfile } from './profile-document.ts'
import { PHONE_SCHEMA, type PhoneBody } from './profile.schema.ts'

/** How long one confirmation keeps others out, should it never end: its process may have died. */
const PROOF_MS = MINUTE_MS

/** The owner's phone, for texts of notifications alone. @see owner.md 1.9 */
export const phoneRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'PUT',
    path: '/settings/profile/phone',
    handler: putPhone,
    auth: requireSettingsApp,
    body: { types: ['json'], schema: PHONE_SCHEMA, refuse: refuseBody },
    limit: [
      { bucket: 'phone-text', inRule: 'texts with a code, before the text' },
      { bucket: 'phone-text-pace', inRule: 'texts with a code, before the text' },
    ],
    statuses: [202, 204, 400, 401, 403, 404, 413, 415, 422, 429],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: 'phone.changed',
    summary:
      'Texts a code to a phone number; with `code`, makes that number the one for texts of notifications.',
    source: 'owner.md 1.9',
  }),
  defineRoute({
    method: 'DELETE',
    path: '/settings/profile/phone',
    handler: deletePhone,
    auth: requireSettingsApp,
    body: { types: ['json'], schema: CONFIRMED_SCHEMA, refuse: refuseBody },
    statuses: [204, 400, 401, 403, 413, 415],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: 'phone.changed',
    summary: 'Forgets the phone number, and the one that waits for its code.',
    source: 'owner.md 1.9',
  }),
]

async function putPhone(ctx: RouteContext<PhoneBody>, services: AuthUiServices): Promise<void> {
  const contacts = requireContacts(services)
  const { texter } = services.options
  const { instance, body } = ctx.state
  if (texter?.canSend(instance) !== true) throw new AuthUiError('not_found')
  const owner = await confirmedOwner(services, ctx)
  const { code, phone } = body ?? {}
  if (code !== undefined) {
    const number = phone === undefined ? undefined : await readPhone(phone)
    await confirmPhone(services, ctx, contacts, { code, number })
    ctx.status = 204
    return
  }
  if (phone === undefined) {
    throw new AuthUiError('invalid_parameter', { description: 'phone or code is missing' })
  }
  await sendCode(services, instance, texter, await readPhone(phone))
  await answerProfile(ctx, services, owner, await findProfile(services, instance))
  ctx.status = 202
}

/** The text first: what fails or stops the server before the write leaves everything as it was. */
async function sendCode(
  services: AuthUiServices,
  instance: Instance,
  texter: NonNullable<AuthUiServices['options']['texter']>,
  number: string,
): Promise<void> {
  const { limits, lifetimes, log } = services
  await limits.hit(instance, 'phone-text-pace')
  await limits.hit(instance, 'phone-text')
  const code = newPhoneCode()
  try {
    const minutes = Math.floor(lifetimes.phoneCode / MINUTE_MS)
    await texter.send(instance, number, { template: 'phone_code', variables: { code, minutes } })
  } catch (cause) {
    // Nothing is kept of it.
    await limits.release(instance, 'phone-text')
    await limits.release(instance, 'phone-text-pace')
    throw new AuthUiError('text_failed', { cause })
  }
  const codeHash = await phoneCodeHash(services, instance, { number, code })
  await changeProfile(services, instance, ({ profile, now }) => {
    const expiresAt = now + lifetimes.phoneCode
    return { profile: { ...profile, phonePending: { number, codeHash, expiresAt, tries: 0 } } }
  })
  log.info('phone.code_sent', { domain: instance.domain })
}

/**
 * Of parallel confirmations one goes on: it tells the host, then notes the number in one write with its entry.
 * @throws AuthUiError `phone_code_invalid`, `phone_code_expired`
 */
async function confirmPhone(
  services: AuthUiServices,
  ctx: RouteContext,
  contacts: OwnerContacts,
  { code, number }: { readonly code: string; readonly number: string | undefined },
): Promise<void> {
  const { instance } = ctx.state
  const id = randomHex(16)
  const pending = await claim(services, instance, { code, number, id })
  await contacts.setPhone(instance, pending.number)
  const note = noteOwn(services, ctx, { event: 'phone.changed' })
  let isOurs = false
  await changeProfile(services, instance, ({ profile, now }) => {
    const { phonePending, ...kept } = profile
    isOurs = phonePending?.proof?.id === id
    if (!isOurs) return { profile }
    return { profile: { ...kept, phone: { number: pending.number, verifiedAt: now } }, also: note }
  })
  if (!isOurs) {
    // The owner removed or replaced it meanwhile.
    await contacts.setPhone(instance, (await readProfile(services, instance)).phone?.number)
    throw new AuthUiError('phone_code_expired')
  }
  services.log.info('phone.changed', { domain: instance.domain, removed: false })
}

/** Counts a wrong code, or notes that this one is at work; of any number of parallel ones, one by one. */
async function claim(
  services: AuthUiServices,
  instance: Instance,
  given: { readonly code: string; readonly number: string | undefined; readonly id: string },
): Promise<PendingPhone> {
  let found: PendingPhone | undefined
  await changeProfile(services, instance, async ({ profile, now }) => {
    found = undefined
    const pending = livePendingPhone(profile, now)
    if (pending === undefined) throw new AuthUiError('phone_code_expired')
    if ((pending.proof?.until ?? 0) > now) throw new AuthUiError('phone_code_expired')
    const isRight =
      (given.number ?? pending.number) === pending.number &&
      (await isPhoneCode(services, instance, pending, given.code))
    if (!isRight) {
      return { profile: { ...profile, phonePending: { ...pending, tries: pending.tries + 1 } } }
    }
    found = { ...pending, proof: { id: given.id, until: now + PROOF_MS } }
    return { profile: { ...profile, phonePending: found } }
  })
  if (found === undefined) throw new AuthUiError('phone_code_invalid')
  return found
}

/** Also without one. The host first: from then on no text goes there. */
async function deletePhone(
  ctx: RouteContext<ConfirmedBody | null>,
  services: AuthUiServices,
): Promise<void> {
  const contacts = requireContacts(services)
  const { instance } = ctx.state
  await confirmedOwner(services, ctx)
  const isThere = (await contacts.phone(instance)) !== undefined
  if (isThere) await contacts.setPhone(instance)
  const note = isThere ? noteOwn(services, ctx, { event: 'phone.changed' }) : []
  await changeProfile(services, instance, ({ profile }) => {
    const { phone: _gone, phonePending: _pending, ...kept } = profile
    return { profile: kept, also: note }
  })
  if (isThere) services.log.info('phone.changed', { domain: instance.domain, removed: true })
  ctx.status = 204
}

/** @throws AuthUiError `not_found`: the host keeps no numbers, so there is no such part */
function requireContacts({ options }: AuthUiServices): OwnerContacts {
  if (options.contacts === undefined) throw new AuthUiError('not_found')
  return options.contacts
}

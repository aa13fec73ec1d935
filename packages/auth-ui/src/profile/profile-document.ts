import type { Change } from '@svc/store'
import { noteOwn } from '../web/activity.ts'
import {
  defineRoute,
  type Instance,
  type InstanceUpdate,
  type Route,
  type RouteContext,
} from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { Owner } from '../owner/owner.ts'
import { changeProfile, findProfile, type FoundProfile, livePending } from '../owner/profile.ts'
import type { AuthUiServices } from '../services.ts'
import { isoTime } from '../settings/json-api.ts'
import { ownerOf } from '../settings/settings-owner.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { refuseBody, requireWellFormed } from '../web/posted.ts'
import { askHost, hostLinksOf, requireChangedHere, tellHost } from './host-profile.ts'
import type { HostFieldChange } from './host-profile-option.ts'
import { ownerLinksOf } from './owner-links.ts'
import { livePendingPhone } from './phone-code.ts'
import { PROFILE_SCHEMA, type ProfileBody } from './profile.schema.ts'

const MAX_NAME_CHARS = 100
const DIRECTION_CONTROLS = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu

/** Who the owner is here. @see owner.md 1.1, 1.2 */
export const profileRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/settings/profile',
    handler: showProfile,
    auth: requireSettingsApp,
    statuses: [200, 400, 401, 403],
    family: 'jsonapi',
    cors: 'app-origins',
    summary: 'Shows who the owner is here, and changes of the mail address that are under way.',
    source: 'owner.md 1.1',
  }),
  defineRoute({
    method: 'PATCH',
    path: '/settings/profile',
    handler: patchProfile,
    auth: requireSettingsApp,
    body: { types: ['json'], schema: PROFILE_SCHEMA, refuse: refuseBody },
    statuses: [200, 400, 401, 403, 409, 413, 415],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: ['name.changed', 'language.changed'],
    summary: 'Changes name, language or time zone.',
    source: 'owner.md 1.1, 1.2',
  }),
]

async function showProfile(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const owner = await ownerOf(services, ctx)
  await answerProfile(ctx, services, owner, await findProfile(services, ctx.state.instance))
}

async function patchProfile(
  ctx: RouteContext<ProfileBody>,
  services: AuthUiServices,
): Promise<void> {
  const owner = await ownerOf(services, ctx)
  const { instance, body } = ctx.state
  const { rev: known, ...fields } = body ?? {}
  requireWellFormed(fields)
  const update = readUpdate(services, fields)
  let renamed: HostFieldChange | undefined
  if (Object.keys(update).length > 0 || known !== undefined) {
    await changeProfile(services, instance, async ({ profile, rev, instance: current }) => {
      if (known !== undefined && known !== rev) throw new AuthUiError('conflict')
      renamed = nameChange(current, update)
      if (renamed !== undefined) await askHost(services, renamed)
      return { profile, update, also: noteUpdate(services, ctx, update) }
    })
    services.log.info('profile.changed', {
      domain: instance.domain,
      members: Object.keys(update).join(' '),
    })
    await tellHost(services, renamed)
  }
  await answerProfile(ctx, services, owner, await findProfile(services, instance))
}

function nameChange(
  instance: Instance,
  { publicName }: InstanceUpdate,
): HostFieldChange | undefined {
  const { publicName: before } = instance
  if (typeof publicName !== 'string' || publicName === before) return undefined
  const change = { instance, field: 'public_name', value: publicName } as const
  return before === undefined ? change : { ...change, before }
}

/** A time zone goes with the language: both are how the space speaks. */
function noteUpdate(
  services: AuthUiServices,
  ctx: RouteContext,
  { publicName, locale, timeZone }: InstanceUpdate,
): readonly Change[] {
  const speaks = locale !== undefined || timeZone !== undefined
  return [
    ...(publicName === undefined ? [] : noteOwn(services, ctx, { event: 'name.changed' })),
    ...(speaks ? noteOwn(services, ctx, { event: 'language.changed' }) : []),
  ]
}

/** @throws AuthUiError `invalid_parameter` that names the member */
function readUpdate(services: AuthUiServices, fields: ProfileBody): InstanceUpdate {
  const { public_name: name, locale, time_zone: timeZone } = fields
  if (name !== undefined) requireChangedHere(services, 'public_name')
  if (locale !== undefined && !services.pages.locales.includes(locale)) {
    throw invalid('locale', 'is not one of the languages that are served')
  }
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    throw invalid('time_zone', 'is not the name of a time zone')
  }
  return {
    ...(name === undefined ? {} : { publicName: readName(name) }),
    ...(locale === undefined ? {} : { locale }),
    ...(timeZone === undefined ? {} : { timeZone }),
  }
}

function readName(written: string): string {
  const name = written.normalize('NFC').replace(DIRECTION_CONTROLS, '').trim()
  const { length } = [...name]
  if (length === 0 || length > MAX_NAME_CHARS || /\p{Cc}/u.test(name)) {
    throw invalid('public_name', 'must have 1 to 100 characters, none of them a control character')
  }
  return name
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return name !== ''
  } catch {
    return false
  }
}

function invalid(member: string, what: string): AuthUiError {
  return new AuthUiError('invalid_parameter', { description: `${member} ${what}` })
}

/** Answers the whole document. */
export async function answerProfile(
  ctx: RouteContext,
  services: AuthUiServices,
  owner: Owner,
  found: FoundProfile,
): Promise<void> {
  const { namespace, options, pages } = services
  const phone = await phoneAttributes(services, found)
  ctx.status = 200
  ctx.type = 'application/vnd.api+json'
  const links = {
    ...ownerLinksOf(found.instance, options.ownerLinks),
    ...hostLinksOf(services, found.instance),
  }
  ctx.body = JSON.stringify({
    data: {
      type: `${namespace}.settings`,
      id: `${namespace}.settings.profile`,
      attributes: {
        ...emailAttributes(found),
        ...aboutInstance(found.instance),
        locales: pages.locales,
        ...phone,
        magic_link: owner.magicLink === true,
        password_defined: owner.passwordDefined !== false,
      },
      meta: { rev: found.rev },
      ...(Object.keys(links).length === 0 ? {} : { links }),
    },
  })
}

function aboutInstance(instance: Instance): Readonly<Record<string, unknown>> {
  const { aliases, createdAt, domain, locale, publicName, timeZone } = instance
  return {
    public_name: publicName ?? '',
    locale,
    time_zone: timeZone ?? null,
    domain,
    aliases,
    created_at: isoTime(createdAt),
  }
}

/** An address that was changed for good is told of as long as one that can be taken back. */
function emailAttributes({
  profile,
  instance,
  now,
}: FoundProfile): Readonly<Record<string, unknown>> {
  const pending = livePending(profile, now)
  const { emailPrevious: previous } = profile
  return {
    email: instance.email ?? null,
    email_pending:
      pending === undefined
        ? null
        : {
            address: pending.address,
            sent_at: isoTime(pending.sentAt),
            expires_at: isoTime(pending.expiresAt),
          },
    email_previous:
      previous === undefined || previous.until <= now
        ? null
        : {
            address: previous.address,
            until: isoTime(previous.until),
            can_undo: previous.canUndo,
          },
  }
}

/** The host says where texts go; a number that somebody else set was never proven. */
async function phoneAttributes(
  { options }: AuthUiServices,
  { profile, instance, now }: FoundProfile,
): Promise<Readonly<Record<string, unknown>>> {
  const { contacts, texter } = options
  if (contacts === undefined) return { phone: null, phone_pending: null, sms: false }
  const number = await contacts.phone(instance)
  const proven = profile.phone?.number === number ? profile.phone : undefined
  const pending = livePendingPhone(profile, now)
  return {
    phone:
      number === undefined
        ? null
        : { number, verified_at: proven === undefined ? null : isoTime(proven.verifiedAt) },
    phone_pending:
      pending === undefined
        ? null
        : { number: pending.number, expires_at: isoTime(pending.expiresAt) },
    sms: texter?.canSend(instance) === true,
  }
}

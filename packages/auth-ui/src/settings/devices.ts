import { defineRoute, type Instance, type Route, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import {
  listTrustedDevices,
  removeTrustedDevice,
  type TrustedDevice,
} from '../factors/trusted-devices.ts'
import type { Owner } from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'
import { forgetKnownDevice } from '../session/known-device.ts'
import { type LoginEntry, loginsOfSessions } from '../session/login-history.ts'
import type { Session } from '../session/session.ts'
import { noteOwn } from '../web/activity.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { answerResources, isoTime, type Resource } from './json-api.ts'
import { idOf, ownerOf } from './settings-owner.ts'

/** The browsers of the owner, each once. @see owner.md 4.2 */
export const deviceRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/settings/devices',
    handler: showDevices,
    auth: requireSettingsApp,
    statuses: [200, 400, 401, 403],
    family: 'jsonapi',
    cors: 'app-origins',
    summary: 'Lists the browsers that are logged in or skip the second factor, each once.',
    source: 'owner.md 4.2',
  }),
  defineRoute({
    method: 'DELETE',
    path: '/settings/devices/:id',
    handler: forgetDevice,
    auth: requireSettingsApp,
    statuses: [204, 400, 401, 403, 404],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: ['device.forgotten', 'session.ended', 'logout'],
    summary: 'Ends the sessions of a browser and its trust; the own one is a logout.',
    source: 'owner.md 4.2',
  }),
]

/** A browser as the owner sees it. */
export interface Device {
  /** Of the known browser; of the session or the trust itself where that knows of none. */
  readonly id: string
  readonly sessions: readonly Session[]
  readonly trusts: readonly TrustedDevice[]
  /** Of the session that was seen last. */
  readonly login: LoginEntry | undefined
  readonly lastSeen: number
}

/** Seen last comes first. */
export async function listDevices(
  services: AuthUiServices,
  instance: Instance,
  owner: Owner,
): Promise<readonly Device[]> {
  const [sessions, trusts] = await Promise.all([
    services.sessions.list(instance),
    listTrustedDevices(services, instance, owner),
  ])
  const logins = await loginsOfSessions(
    services,
    instance,
    sessions.map(({ id }) => id),
  )
  const ids = new Set([...sessions, ...trusts].map(deviceIdOf))
  return [...ids]
    .map((id) => {
      const own = sessions
        .filter((session) => deviceIdOf(session) === id)
        .toSorted((one, other) => other.lastSeen - one.lastSeen)
      const trusted = trusts.filter((trust) => deviceIdOf(trust) === id)
      const seen = [
        ...own.map(({ lastSeen }) => lastSeen),
        ...trusted.map(({ lastUsed }) => lastUsed),
      ]
      const login = own
        .map((session) => logins.get(session.id))
        .find((entry) => entry !== undefined)
      return { id, sessions: own, trusts: trusted, login, lastSeen: Math.max(...seen) }
    })
    .toSorted((one, other) => other.lastSeen - one.lastSeen)
}

/** Records from before browsers had ids are rows of their own. */
function deviceIdOf({ id, device }: Pick<Session | TrustedDevice, 'id' | 'device'>): string {
  return device ?? id
}

async function showDevices(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const owner = await ownerOf(services, ctx)
  const current = await services.sessionMiddleware.current(ctx)
  const devices = await listDevices(services, ctx.state.instance, owner)
  answerResources(
    ctx,
    devices.map((device) => toResource(services, device, current)),
  )
}

async function forgetDevice(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance } = ctx.state
  const owner = await ownerOf(services, ctx)
  const current = await services.sessionMiddleware.current(ctx)
  const id = idOf(ctx)
  const device = (await listDevices(services, instance, owner)).find((each) => each.id === id)
  if (device === undefined) throw new AuthUiError('not_found')
  // First what skips the second step: whoever is logged out then has to pass it.
  // The record never holds the id of a session, which is that of a row from before browsers had ids.
  const isSession = device.sessions.some((session) => session.id === id)
  const target = {
    kind: 'device',
    id: isSession ? 'session' : id,
    name: nameOf(device),
  } as const
  for (const trust of device.trusts) {
    await removeTrustedDevice(services, instance, trust.id, () =>
      noteOwn(services, ctx, { event: 'device.forgotten', target }),
    )
  }
  await forgetKnownDevice(services, instance, id)
  for (const session of device.sessions) {
    if (session.id === current?.id) continue
    const note = noteOwn(services, ctx, { event: 'session.ended', target })
    await services.sessions.end(instance, session.id, 'revoked', note)
  }
  if (device.sessions.some((session) => session.id === current?.id)) {
    await services.sessionMiddleware.end(ctx, noteOwn(services, ctx, { event: 'logout' }))
  }
  ctx.status = 204
}

function nameOf({ login, trusts }: Device): string {
  const known = [login?.browser ?? '', login?.os ?? ''].filter((part) => part !== '').join(', ')
  return known === '' ? (trusts[0]?.label ?? '') : known
}

function toResource(
  { namespace }: AuthUiServices,
  device: Device,
  current: Session | undefined,
): Resource {
  const { id, sessions, trusts, login, lastSeen } = device
  const { browser = '', os = '', ip, country } = login ?? {}
  return {
    type: `${namespace}.devices`,
    id,
    attributes: {
      name: nameOf(device),
      ...(browser === '' ? {} : { browser }),
      ...(os === '' ? {} : { os }),
      sessions: sessions.map((session) => ({
        id: session.id,
        created_at: isoTime(session.createdAt),
        last_seen: isoTime(session.lastSeen),
        long_run: session.kind === 'long',
        short_run: session.kind === 'short',
      })),
      trusted: trusts.length > 0,
      last_seen: isoTime(lastSeen),
      ...(ip === undefined ? {} : { ip }),
      ...(country === undefined ? {} : { country }),
      current: current !== undefined && sessions.some((session) => session.id === current.id),
    },
  }
}

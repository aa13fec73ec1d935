import { type Client, VERBS } from '@svc/oauth-core'
import { defineRoute, type Instance, type Route, type RouteContext } from '@svc/platform'
import { listTrustedDevices, type TrustedDevice } from '../factors/trusted-devices.ts'
import type { AuthUiServices } from '../services.ts'
import { type LoginEntry, loginsOfSessions } from '../session/login-history.ts'
import { type Session, sessionEnd } from '../session/session.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { hostOf, kindOf, listAllowed, shownAccess } from './clients.ts'
import { answerResources, isoTime, type Resource } from './json-api.ts'
import { ownerOf } from './settings-owner.ts'

/** The one rule of a session of the owner. */
const EVERYTHING = { type: '*', verbs: VERBS } as const

/** Everything that can reach the instance, of whatever kind, in one form. Each entry names the address whose DELETE ends it. */
export const accessRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/settings/access',
    handler: listAccess,
    auth: requireSettingsApp,
    statuses: [200, 400, 401, 403],
    family: 'jsonapi',
    cors: 'app-origins',
    summary: 'Lists everything that has access, what it may do, and what ends it.',
    source: 'issue 4; security.md 61',
  }),
]

async function listAccess(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance } = ctx.state
  const current = await services.sessionMiddleware.current(ctx)
  const live = await services.sessions.list(instance)
  const logins = await loginsOfSessions(
    services,
    instance,
    live.map(({ id }) => id),
  )
  const resources: Resource[] = []
  for (const client of await listAllowed(services, instance)) {
    resources.push(await ofClient(services, instance, client))
  }
  for (const session of live) {
    const login = logins.get(session.id)
    resources.push(ofSession(services, instance, session, login, session.id === current?.id))
  }
  const devices = await listTrustedDevices(services, instance, await ownerOf(services, ctx))
  for (const device of devices) resources.push(ofDevice(services, device))
  answerResources(ctx, resources)
}

async function ofClient(
  services: AuthUiServices,
  instance: Instance,
  client: Client,
): Promise<Resource> {
  const access = await services.oauth.clients.access(instance, client.id)
  const { scope, permissions, expiresAt } = await shownAccess(services, instance, access)
  return entry(`${services.namespace}.oauth.clients`, client.id, '/settings/clients/', {
    kind: 'client',
    name: services.pages.clientName(instance.locale, client),
    former_name: client.formerName,
    client_kind: kindOf(client, access),
    host: hostOf(client),
    platform: client.os,
    scope,
    permissions,
    created_at: isoTime(client.createdAt),
    last_used_at: client.lastUsedAt && isoTime(client.lastUsedAt),
    last_used_from: client.lastUsedFrom,
    expires_at: expiresAt,
  })
}

function ofSession(
  { lifetimes, namespace, pages }: AuthUiServices,
  instance: Instance,
  session: Session,
  login: LoginEntry | undefined,
  isCurrent: boolean,
): Resource {
  const text = pages.permissionWords(instance.locale, EVERYTHING)
  return entry(`${namespace}.sessions`, session.id, '/settings/sessions/', {
    kind: 'session',
    name: [login?.browser ?? '', login?.os ?? ''].filter((part) => part !== '').join(', '),
    current: isCurrent,
    scope: '*',
    permissions: [{ scope: '*', text }],
    created_at: isoTime(session.createdAt),
    last_used_at: isoTime(session.lastSeen),
    last_used_from: login?.ip,
    country: login?.country,
    expires_at: isoTime(sessionEnd(session, lifetimes)),
  })
}

/** It opens nothing alone: it only spares the second step. */
function ofDevice(
  { lifetimes, namespace }: AuthUiServices,
  { id, label, createdAt, lastUsed }: TrustedDevice,
): Resource {
  return entry(`${namespace}.settings.trusted_devices`, id, '/settings/trusted_devices/', {
    kind: 'trusted_device',
    name: label,
    scope: '',
    permissions: [],
    created_at: isoTime(createdAt),
    last_used_at: isoTime(lastUsed),
    expires_at: isoTime(createdAt + lifetimes.trustedDevice),
  })
}

function entry(
  type: string,
  id: string,
  path: string,
  attributes: Readonly<Record<string, unknown>>,
): Resource {
  return { type, id, attributes, links: { self: `${path}${encodeURIComponent(id)}` } }
}

import { type Client, VERBS } from '@svc/oauth-core'
import { type Instance, type RouteContext } from '@svc/platform'
import type { TrustedDevice, TrustedDevices } from '../factors/trusted-devices.ts'
import type { Lifetimes } from '../lifetimes.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { PageRenderer } from '../pages/page-renderer.ts'
import type { LoginEntry, LoginHistory } from '../session/login-history.ts'
import { type Session, sessionEnd } from '../session/session.ts'
import type { SessionCarrier } from '../session/session-carrier.ts'
import type { SessionStore } from '../session/session-store.ts'
import type { ClientPermissions } from './client-permissions.ts'
import { answerResources, isoTime, type Resource } from './json-api.ts'
import { ownerOf } from './settings-owner.ts'

/** What {@link createAccessSettings} needs. */
export interface AccessSettingsOptions {
  readonly allClients: (instance: Instance) => Promise<readonly Client[]>
  readonly clientPermissions: ClientPermissions
  readonly sessions: SessionStore
  readonly carrier: SessionCarrier
  readonly history: LoginHistory
  readonly owners: OwnerStore
  readonly trustedDevices: TrustedDevices
  readonly pages: Pick<PageRenderer, 'permissionWords'>
  readonly lifetimes: Lifetimes
  readonly namespace: string
}

/** The one rule of a session of the owner. */
const EVERYTHING = { type: '*', verbs: VERBS } as const

/**
 * `GET /settings/access`: everything that can reach the instance, of whatever kind, in one form. Each entry names the
 * address whose DELETE ends it.
 */
export function createAccessSettings(
  options: AccessSettingsOptions,
): (ctx: RouteContext) => Promise<void> {
  const { namespace, lifetimes, pages } = options

  async function ofClient(instance: Instance, client: Client): Promise<Resource> {
    const { scope, permissions, expiresAt } = await options.clientPermissions(instance, client)
    return entry(`${namespace}.oauth.clients`, client.id, '/settings/clients/', {
      kind: 'client',
      name: client.metadata.client_name,
      client_kind: client.metadata.client_kind,
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
  function ofDevice({ id, label, createdAt, lastUsed }: TrustedDevice): Resource {
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

  return async function listAccess(ctx) {
    const { instance } = ctx.state
    const { sessions, carrier, history, trustedDevices, owners } = options
    const current = await carrier.current(ctx)
    const live = await sessions.list(instance)
    const logins = await history.bySession(
      instance,
      live.map(({ id }) => id),
    )
    const resources: Resource[] = []
    for (const client of await options.allClients(instance)) {
      resources.push(await ofClient(instance, client))
    }
    for (const session of live) {
      const login = logins.get(session.id)
      resources.push(ofSession(instance, session, login, session.id === current?.id))
    }
    const devices = await trustedDevices.list(instance, await ownerOf(ctx, owners))
    answerResources(ctx, [...resources, ...devices.map(ofDevice)])
  }
}

function entry(
  type: string,
  id: string,
  path: string,
  attributes: Readonly<Record<string, unknown>>,
): Resource {
  return { type, id, attributes, links: { self: `${path}${encodeURIComponent(id)}` } }
}

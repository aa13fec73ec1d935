import {
  type ActivityActor,
  defineRoute,
  type Route,
  type RouteContext,
  type SchemaFault,
} from '@svc/platform'
import { permissionFor } from '../auth.ts'
import { NotifyError, type NotifyFault } from '../notify-error.ts'
import type { NotifyServices } from '../services.ts'
import { channelNames } from './channel-choice.ts'
import { changeChoices } from './held-back-wake-ups.ts'
import { applyPatch, patchFaults } from './patch.ts'
import type { Preferences } from './preferences.ts'
import { changePreferences, readPreferences, type StoredPreferences } from './preference-store.ts'
import { preferencesResource } from './preferences-json.ts'
import { PREFERENCES_BODY, type PreferencesBody } from './preferences.schema.ts'
import { listSources } from './sources.ts'

type PreferencesServices = Pick<
  NotifyServices,
  'apps' | 'clock' | 'hostChannels' | 'namespace' | 'oauth' | 'store'
>

/** Where the shape of the body is at fault, not an attribute in it. */
const ENVELOPE: ReadonlySet<string> = new Set(['', '/data', '/data/attributes'])

/** The owner's choices, for the settings app. @see docs/decisions/0180 */
export const preferencesRoutes: readonly Route<PreferencesServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/notifications/preferences',
    handler: showPreferences,
    auth: permissionFor('GET', 'notifications.preferences'),
    statuses: [200, 400, 401, 403],
    family: 'jsonapi',
    cors: 'app-origins',
    summary: 'What the owner chose about notifications: time zone, quiet hours, each source.',
    source: 'notifications.md 23',
  }),
  defineRoute({
    method: 'PATCH',
    path: '/notifications/preferences',
    handler: patchPreferences,
    auth: permissionFor('PATCH', 'notifications.preferences'),
    body: { types: ['json'], schema: PREFERENCES_BODY, refuse: refuseBody, allFaults: true },
    statuses: [200, 400, 401, 403, 409, 413, 415, 422],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: 'preferences.changed',
    summary:
      'Changes the attributes that are there, and of `sources` the ones that are named; `meta.rev` demands a revision.',
    source: 'notifications.md 23',
  }),
]

async function showPreferences(ctx: RouteContext, services: PreferencesServices): Promise<void> {
  await answer(ctx, services, await readPreferences(services, ctx.state.instance))
}

async function patchPreferences(
  ctx: RouteContext<PreferencesBody>,
  services: PreferencesServices,
): Promise<void> {
  const { body, instance } = ctx.state
  const patch = body?.data.attributes ?? {}
  const rev = memberOf(body?.data.meta, 'rev')
  const stored = await readPreferences(services, instance)
  const sources = await listSources(services, instance, stored.preferences)
  const [first, ...rest] = patchFaults(patch, sources, channelNames(services))
  if (first !== undefined) throw NotifyError.ofAll([first, ...rest])
  const note = services.oauth.activity.pending(instance, {
    event: 'preferences.changed',
    actor: actorOf(ctx),
    origin: { ip: services.oauth.clientAddress(ctx) },
  })
  const changed = await changeChoices(services, instance, async () => {
    const next = (current: StoredPreferences): Preferences | undefined => {
      if (rev !== undefined && rev !== (current.revision ?? null)) {
        throw new NotifyError('conflict', { description: 'the preferences changed meanwhile' })
      }
      return applyPatch(current.preferences, patch, sources)
    }
    const written = await changePreferences(services, instance, next, note)
    if (patch.time_zone !== undefined) {
      await services.oauth.instances.update(instance.id, { timeZone: patch.time_zone })
    }
    return written
  })
  await answer(ctx, services, changed)
}

/** The owner's settings are an app of the space; any other one speaks for itself. */
function actorOf({ state: { access } }: RouteContext): ActivityActor {
  if (access?.client !== undefined) {
    const { id, metadata, formerName } = access.client
    const former = formerName === undefined ? {} : { formerName }
    return { kind: 'client', id, name: metadata.client_name, ...former }
  }
  return { kind: 'owner' }
}

async function answer(
  ctx: RouteContext,
  services: PreferencesServices,
  stored: StoredPreferences,
): Promise<void> {
  const { oauth } = services
  const { id } = ctx.state.instance
  // The time zone may have changed a moment ago.
  const instance = { ...ctx.state.instance, ...(await oauth.instances.fresh(id)) }
  const sources = await listSources(services, instance, stored.preferences)
  const data = preferencesResource(instance, stored, sources, services)
  ctx.status = 200
  ctx.type = 'application/vnd.api+json'
  ctx.body = JSON.stringify({ data })
}

/** A body without attributes is malformed; every fault of the attributes is reported with its pointer. */
function refuseBody(faults: readonly SchemaFault[]): NotifyError {
  const isMalformed = faults.some(
    ({ instancePath, keyword }) =>
      ENVELOPE.has(instancePath) && (keyword === 'type' || keyword === 'required'),
  )
  if (isMalformed) {
    const description = 'JSON input is malformed or is missing mandatory fields'
    return new NotifyError('malformed_json', { description })
  }
  const [first, ...rest] = faults.map(
    ({ instancePath, message }): NotifyFault => ({
      code: 'invalid_attribute',
      description: message ?? 'is malformed',
      pointer: instancePath,
    }),
  )
  return NotifyError.ofAll(
    first === undefined ? [{ code: 'invalid_attribute' }] : [first, ...rest.slice(0, 19)],
  )
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}

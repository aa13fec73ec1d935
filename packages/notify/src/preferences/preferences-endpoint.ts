import { type OAuth } from '@svc/oauth-core'
import { compiledSchema, type Instance, type RouteContext, type RouteRow } from '@svc/platform'
import { demandPermission } from '../demand-permission.ts'
import { NotifyError, type NotifyFault } from '../notify-error.ts'
import { applyPatch, patchFaults, type PreferencesPatch } from './patch.ts'
import { preferencesResource } from './preferences-json.ts'
import { preferencesBodySchema } from './preferences.schema.ts'
import type { PreferenceStore, StoredPreferences } from './preference-store.ts'
import type { ListSources } from './sources.ts'

export interface PreferenceRowsOptions {
  readonly oauth: Pick<OAuth, 'authenticate' | 'instances' | 'namespace'>
  readonly preferences: PreferenceStore
  readonly listSources: ListSources
  /** Runs a change of the choices, and looks at what they held back. */
  readonly around: ChangeChoices
}

/** Runs a change of an instance's choices, and looks at what they held back. */
export type ChangeChoices = <Result>(
  instance: Pick<Instance, 'id'>,
  change: () => Promise<Result>,
) => Promise<Result>

const PATH = '/notifications/preferences'

/** The owner's choices, for the settings app. @see docs/decisions/0180 */
export function createPreferenceRows(options: PreferenceRowsOptions): readonly RouteRow[] {
  const { oauth, preferences, listSources } = options
  const type = `${oauth.namespace}.notifications.preferences`

  async function answer(ctx: RouteContext, stored: StoredPreferences): Promise<void> {
    const { id } = ctx.state.instance
    // The time zone may have changed a moment ago.
    const instance = { ...ctx.state.instance, ...(await oauth.instances.fresh(id)) }
    const sources = await listSources(instance, stored.preferences)
    const data = preferencesResource(instance, stored, sources, oauth.namespace)
    ctx.status = 200
    ctx.type = 'application/vnd.api+json'
    ctx.body = JSON.stringify({ data })
  }

  async function read(ctx: RouteContext): Promise<void> {
    await answer(ctx, await preferences.read(ctx.state.instance))
  }

  async function change(ctx: RouteContext): Promise<void> {
    const { instance } = ctx.state
    const { patch, rev } = patchOf(ctx.state.json)
    const stored = await preferences.read(instance)
    const sources = await listSources(instance, stored.preferences)
    const [first, ...rest] = patchFaults(patch, sources)
    if (first !== undefined) throw NotifyError.ofAll([first, ...rest])
    const changed = await options.around(instance, async () => {
      const written = await preferences.change(instance, (current) => {
        if (rev !== undefined && rev !== (current.revision ?? null)) {
          throw new NotifyError('conflict', { description: 'the preferences changed meanwhile' })
        }
        return applyPatch(current.preferences, patch, sources)
      })
      if (patch.time_zone !== undefined) {
        await oauth.instances.update(instance.id, { timeZone: patch.time_zone })
      }
      return written
    })
    await answer(ctx, changed)
  }

  const shared = {
    path: PATH,
    auth: ['app token', 'access token'],
    family: 'jsonapi',
    cors: 'app-origins',
    source: 'notifications.md 23',
  } as const
  return [
    {
      ...shared,
      method: 'GET',
      handler: read,
      statuses: [200, 400, 401, 403],
      use: [demandPermission(oauth, 'GET', type)],
      summary: 'What the owner chose about notifications: time zone, quiet hours, each source.',
    },
    {
      ...shared,
      method: 'PATCH',
      handler: change,
      body: { types: ['json'], schema: preferencesBodySchema },
      statuses: [200, 400, 401, 403, 409, 413, 415, 422],
      use: [demandPermission(oauth, 'PATCH', type)],
      summary:
        'Changes the attributes that are there, and of `sources` the ones that are named; `meta.rev` demands a revision.',
    },
  ]
}

interface PatchBody {
  readonly data: { readonly attributes: PreferencesPatch; readonly meta?: unknown }
}

function patchOf(body: unknown): { readonly patch: PreferencesPatch; readonly rev: unknown } {
  const attributes = memberOf(memberOf(body, 'data'), 'attributes')
  if (typeof attributes !== 'object' || attributes === null) {
    const description = 'JSON input is malformed or is missing mandatory fields'
    throw new NotifyError('malformed_json', { description })
  }
  const isBody = compiledSchema<PatchBody>(preferencesBodySchema, {
    allErrors: true,
    allowUnionTypes: true,
  })
  if (!isBody(body)) throw NotifyError.ofAll(shapeFaults(isBody.errors ?? []))
  return { patch: body.data.attributes, rev: memberOf(body.data.meta, 'rev') }
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}

function shapeFaults(
  errors: readonly { readonly instancePath: string; readonly message?: string }[],
): [NotifyFault, ...NotifyFault[]] {
  const [first, ...rest] = errors.map(
    ({ instancePath, message }): NotifyFault => ({
      code: 'invalid_attribute',
      description: message ?? 'is malformed',
      pointer: instancePath,
    }),
  )
  return first === undefined ? [{ code: 'invalid_attribute' }] : [first, ...rest.slice(0, 19)]
}

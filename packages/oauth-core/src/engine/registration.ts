import type { Store } from '@svc/store'
import type { Context } from 'koa'
import { isClientId } from '../clients/client-record.ts'
import { type Instance, randomId } from '@svc/platform'
import { serverMetadata } from './client-cache.ts'
import type { ClientRecords } from './client-records.ts'
import { NATIVE_PATHS } from './configuration.ts'
import type { Engine, EngineAnswer } from './engine.ts'
import type { ReadRecords } from './batched-reads.ts'
import type { NativeRequest } from './native-context.ts'
import type { NativeEngine } from './provider-pool.ts'
import { newUnit, readUnit, type Unit, type Units } from './unit-of-work.ts'

export interface RegistrationOptions {
  readonly store: Store
  readonly read: ReadRecords
  readonly clients: ClientRecords
  readonly units: Units
  readonly providerOf: (instance: Instance) => NativeEngine
  /** Ends what a deleted client held. */
  readonly forget: (instance: Instance, clientId: string, reason: string) => Promise<void>
}

type ManageRequest = Parameters<Engine['manage']>[2]

const CLIENT_SECRET_BYTES = 24
const CONFLICT: EngineAnswer = { status: 409, body: { error: 'conflict' } }
const INVALID_TOKEN: EngineAnswer = { status: 401, body: { error: 'invalid_token' } }

/** The native registration endpoints, each run in one unit: its changes are written together or not at all. */
export function createRegistration(
  options: RegistrationOptions,
): Pick<Engine, 'manage' | 'register'> {
  const { store, read, clients, units, providerOf, forget } = options

  async function run(unit: Unit, request: NativeRequest): Promise<EngineAnswer> {
    const { instance } = unit
    const { status, body } = await units.run(unit, () => providerOf(instance).run(request))
    if (unit.failure !== undefined) throw unit.failure
    if (status >= 300 || unit.changes.length === 0) return { status, body }
    const { written } = await store.write(unit.changes, { id: randomId() })
    return written ? { status, body } : CONFLICT
  }

  async function manageOnce(
    ctx: Context,
    instance: Instance,
    { method, clientId, body, renewSecret = false }: ManageRequest,
  ): Promise<EngineAnswer> {
    const unit = newUnit(instance)
    await readUnit(read, unit, [clients.keyOf(instance, clientId)])
    if (renewSecret) unit.newSecret = randomId(CLIENT_SECRET_BYTES)
    return run(unit, {
      method,
      path: `${NATIVE_PATHS.registration}/${clientId}`,
      ...authorization(ctx),
      ...(body === undefined
        ? {}
        : { contentType: 'application/json' as const, body: withServerMetadata(body) }),
    })
  }

  return {
    async register(_ctx, instance, metadata) {
      const unit = newUnit(instance)
      return run(unit, {
        method: 'POST',
        path: NATIVE_PATHS.registration,
        contentType: 'application/json',
        body: withServerMetadata(metadata),
      })
    },

    async manage(ctx, instance, request) {
      if (!isClientId(request.clientId)) return INVALID_TOKEN
      let answer = await manageOnce(ctx, instance, request)
      // Whoever changed the client meanwhile does not keep it from being deleted.
      while (request.method === 'DELETE' && answer === CONFLICT) {
        answer = await manageOnce(ctx, instance, request)
      }
      if (request.method === 'DELETE' && answer.status === 204) {
        await forget(instance, request.clientId, 'deleted')
      }
      return answer
    },
  }
}

function authorization(ctx: Context): { readonly authorization?: string } {
  const header = ctx.get('Authorization')
  return header === '' ? {} : { authorization: header }
}

function withServerMetadata(
  metadata: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const uris = metadata['redirect_uris']
  return { ...metadata, ...serverMetadata(Array.isArray(uris) ? uris.map(String) : []) }
}

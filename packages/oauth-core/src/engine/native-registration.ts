import { type Instance, randomId, type RouteContext } from '@svc/platform'
import { clientKey, isClientId } from '../clients/client-record.ts'
import { NATIVE_PATHS } from './configuration.ts'
import { type Engine, forgetClient } from './engine.ts'
import { serverMetadata } from './metadata.ts'
import type { NativeRequest } from './native-call.ts'
import { newUnit, readUnit, runUnit, type UnitOfWork, writeOnce } from './unit-of-work.ts'

/** What the engine answered: native members, which the caller makes ours. */
export interface EngineAnswer {
  readonly status: number
  /** Parsed JSON, or undefined when the body was empty. */
  readonly body: Record<string, unknown> | undefined
}

/** What is asked of one of the native management routes. */
export interface ManageRequest {
  readonly method: 'GET' | 'PUT' | 'DELETE'
  readonly clientId: string
  readonly body?: Readonly<Record<string, unknown>>
  /** PUT: replaces the secret by a new one, which the answer holds. */
  readonly renewSecret?: boolean
}

const CLIENT_SECRET_BYTES = 24
const CONFLICT: EngineAnswer = { status: 409, body: { error: 'conflict' } }
const INVALID_TOKEN: EngineAnswer = { status: 401, body: { error: 'invalid_token' } }

/**
 * Runs the native registration with metadata that has been checked.
 * @param beside - begins in the turn of the write, so that a store commits both at once; it may run for a client that is
 * not stored in the end
 */
export async function registerNatively(
  engine: Engine,
  instance: Instance,
  metadata: Readonly<Record<string, unknown>>,
  beside?: () => Promise<void>,
): Promise<EngineAnswer> {
  const unit = newUnit(instance)
  const request: NativeRequest = {
    method: 'POST',
    path: NATIVE_PATHS.registration,
    contentType: 'application/json',
    body: withServerMetadata(metadata),
  }
  return callAndWrite(engine, unit, request, async () => {
    const [client] = unit.changes
    // Its id is of this run only: whatever stands under its key was written by an earlier try.
    const writing = writeOnce(engine, unit.changes, (failed) => failed === client?.key)
    const [isWritten] = await Promise.all([writing, beside?.()])
    return isWritten
  })
}

/**
 * Runs one of the native management routes with the request's registration access token. A lost race against another
 * writer is answered 409 `conflict`. DELETE ends everything the client holds.
 */
export async function manageNatively(
  ctx: RouteContext,
  engine: Engine,
  request: ManageRequest,
): Promise<EngineAnswer> {
  if (!isClientId(request.clientId)) return INVALID_TOKEN
  let answer = await manageOnce(ctx, engine, request)
  // Whoever changed the client meanwhile does not keep it from being deleted.
  while (request.method === 'DELETE' && answer === CONFLICT) {
    answer = await manageOnce(ctx, engine, request)
  }
  if (request.method === 'DELETE' && answer.status === 204) {
    await forgetClient(engine, ctx.state.instance, request.clientId, 'deleted')
  }
  return answer
}

async function manageOnce(
  ctx: RouteContext,
  engine: Engine,
  { method, clientId, body, renewSecret = false }: ManageRequest,
): Promise<EngineAnswer> {
  const { instance } = ctx.state
  const unit = newUnit(instance)
  await readUnit(engine.reads, unit, [clientKey(instance.id, clientId)])
  if (renewSecret) unit.newSecret = randomId(CLIENT_SECRET_BYTES)
  const request: NativeRequest = {
    method,
    path: `${NATIVE_PATHS.registration}/${clientId}`,
    ...authorization(ctx),
    ...(body === undefined
      ? {}
      : { contentType: 'application/json' as const, body: withServerMetadata(body) }),
  }
  return callAndWrite(engine, unit, request, async () => {
    const { written } = await engine.store.write(unit.changes, { id: randomId() })
    return written
  })
}

/**
 * One run in one unit of work: its changes are written together or not at all.
 * @param write - writes them; false when a condition of theirs did not hold
 */
async function callAndWrite(
  { providers }: Engine,
  unit: UnitOfWork,
  request: NativeRequest,
  write: () => Promise<boolean>,
): Promise<EngineAnswer> {
  const { call } = await providers.of(unit.instance)
  const { status, body } = await runUnit(unit, () => call(request))
  if (unit.failure !== undefined) throw unit.failure
  if (status >= 300 || unit.changes.length === 0) return { status, body }
  return (await write()) ? { status, body } : CONFLICT
}

function authorization(ctx: RouteContext): { readonly authorization?: string } {
  const header = ctx.get('Authorization')
  return header === '' ? {} : { authorization: header }
}

function withServerMetadata(
  metadata: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const uris = metadata['redirect_uris']
  const isOpen = metadata['token_endpoint_auth_method'] === 'none'
  return { ...metadata, ...serverMetadata(Array.isArray(uris) ? uris.map(String) : [], isOpen) }
}

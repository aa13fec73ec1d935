import { RESEAL_RATE, type ResealProgress, ResealRefusedError, totalOf } from '@svc/platform'
import type { HostServices } from '../services.ts'
import { type RotationKinds, type RotationProgress, rotateKeys } from '../keys/rotation.ts'
import { showSealingValues } from '../monitoring/key-line.ts'
import { checkBody } from './admin.schema.ts'
import { AdminError } from './admin-error.ts'
import type { AdminToken } from './admin-token.ts'
import type { AdminRouting } from './owner-routes.ts'

type KeyServices = Pick<HostServices, 'keys' | 'oauth' | 'settable' | 'ui'>

/** Keys of instances, sealing keys, and the admin token. @see operation.md 3 */
export function addKeyRoutes(
  { route, instanceOf }: AdminRouting,
  services: KeyServices,
  token: AdminToken,
): void {
  const { keys } = services

  route('post', '/instances/:domain/rotate-keys', 'keys:write', async (ctx) => {
    const { kinds } = readRotation(ctx.request.body)
    await rotateKeys(services, await instanceOf(ctx), kinds)
    ctx.status = 204
  })

  route('post', '/keys/rotate', 'keys:write', async (ctx) => {
    const { kinds, rate } = readRotation(ctx.request.body)
    ctx.status = 202
    ctx.body = rotationToWire(await keys.rotation.start(kinds, rate))
  })

  route('get', '/keys/rotate', 'keys:read', async (ctx) => {
    const progress = await keys.rotation.progress()
    if (progress === undefined) throw new AdminError('not_found', 404, 'nothing was rotated yet')
    ctx.body = rotationToWire(progress)
  })

  route('post', '/keys/reseal', 'keys:write', async (ctx) => {
    const { rate } = checkBody('reseal', ctx.request.body ?? {})
    try {
      const progress = await keys.reseal.start(typeof rate === 'number' ? rate : RESEAL_RATE)
      ctx.status = 202
      ctx.body = await resealToWire(services, progress)
    } catch (error) {
      if (!(error instanceof ResealRefusedError)) throw error
      throw new AdminError(error.code, 409, error.message)
    }
  })

  route('get', '/keys/reseal', 'keys:read', async (ctx) => {
    const progress = await keys.reseal.progress()
    if (progress === undefined) throw new AdminError('not_found', 404, 'nothing was resealed yet')
    ctx.body = await resealToWire(services, progress)
  })

  route('get', '/keys/status', 'keys:read', async (ctx) => {
    const resealed = await keys.reseal.progress()
    const status = await keys.status.read(resealed?.endedAt)
    showSealingValues(status, services.settable)
    ctx.body = {
      source: keys.source,
      keys: status.keys.map((each) => ({
        kid: each.kid,
        position: each.position ?? null,
        first_used_at: date(each.firstUsedAt),
        state: each.state,
        values: each.values,
        may_go: each.mayGo,
        links_until: date(each.linksUntil),
      })),
      counted_at: date(status.countedAt),
      oldest_signing_key: date(status.oldestSigningKey),
    }
  })

  route('post', '/admin-token', 'everything', async (ctx) => {
    ctx.body = { file: token.rotate() }
  })
}

function readRotation(body: unknown): { kinds: RotationKinds; rate: number } {
  const { revoke, sessions, links, rate } = checkBody('rotateKeys', body ?? {})
  return {
    kinds: { revoke: revoke === true, sessions: sessions === true, links: links === true },
    rate: typeof rate === 'number' ? rate : RESEAL_RATE,
  }
}

function rotationToWire(progress: RotationProgress): Record<string, unknown> {
  const { kinds, rotated } = progress.state
  return { ...workToWire(progress), ...kinds, rotated }
}

async function resealToWire(
  { keys }: KeyServices,
  progress: ResealProgress,
): Promise<Record<string, unknown>> {
  const { state, status } = progress
  const known = status === 'done' ? await keys.reseal.others() : []
  return {
    ...workToWire(progress),
    source: keys.source,
    kid: state.kid,
    pass: state.pass,
    part: keys.reseal.partOf(state),
    sealed: state.sealed,
    damaged: state.damaged,
    others: known.map(({ kid, isEmpty, linksUntil }) => ({
      kid,
      empty: isEmpty,
      left: totalOf(state.counts, kid),
      kinds: state.counts[kid] ?? {},
      links_until: date(linksUntil),
    })),
  }
}

function workToWire(progress: ResealProgress | RotationProgress): Record<string, unknown> {
  const { status, hostname, startedAt, endedAt, reason } = progress
  return {
    status,
    hostname,
    started_at: date(startedAt),
    ended_at: date(endedAt),
    ...(reason !== undefined && { reason }),
  }
}

function date(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}

import { defineRoute, type Route, type RouteContext } from '@svc/platform'
import type { Head } from '../chain/head.ts'
import { headKey } from '../chain/keys.ts'
import type { ActivityServices } from '../services.ts'
import { lastCheck, type Verification, verifyChain } from '../verify/verify-chain.ts'
import { requireSettingsApp } from './callers.ts'

const COMMON = {
  auth: requireSettingsApp,
  family: 'jsonapi',
  cors: 'app-origins',
  source: 'owner.md 5.7',
} as const

export const headRoute: Route<ActivityServices> = defineRoute({
  ...COMMON,
  method: 'GET',
  path: '/settings/activity/head',
  handler: showHead,
  statuses: [200, 400, 401, 403],
  summary: 'Where the record of activity ends, and what its last verification found.',
})

export const verifyRoute: Route<ActivityServices> = defineRoute({
  ...COMMON,
  method: 'POST',
  path: '/settings/activity/verify',
  handler: verify,
  limit: [{ bucket: 'activity-verify', counts: 'requests' }],
  statuses: [200, 400, 401, 403, 429],
  activity: { none: 'It changes nothing of the space.' },
  summary: 'Verifies the whole record of activity.',
})

async function showHead(ctx: RouteContext, services: ActivityServices): Promise<void> {
  const { id } = ctx.state.instance
  await services.chainer.chain(id)
  await answer(ctx, services, await lastCheck(services.store, id))
}

async function verify(ctx: RouteContext, services: ActivityServices): Promise<void> {
  const { id, domain } = ctx.state.instance
  await services.chainer.chain(id)
  const found = await verifyChain(services, id)
  if (found.fault !== undefined) {
    const { seq, reason } = found.fault
    services.log.error('activity.broken', { domain, seq, reason })
  }
  await answer(ctx, services, found)
}

async function answer(
  ctx: RouteContext,
  { store, namespace }: ActivityServices,
  check: Verification | undefined,
): Promise<void> {
  const { id } = ctx.state.instance
  const head = (await store.get<Head>(headKey(id)))?.value
  ctx.type = 'application/vnd.api+json'
  ctx.body = {
    data: {
      type: `${namespace}.settings.activity_head`,
      id: 'head',
      attributes: { ...headAttributes(head), ...checkAttributes(check) },
    },
  }
}

function headAttributes(head: Head | undefined): Readonly<Record<string, unknown>> {
  if (head === undefined) return { seq: 0 }
  const { chain, seq, hash, time } = head
  return { chain, seq, hash, time: isoTime(time) }
}

function checkAttributes(check: Verification | undefined): Readonly<Record<string, unknown>> {
  if (check === undefined) return {}
  const { at, seq, unbroken, count, since, fault } = check
  return {
    verified_at: isoTime(at),
    verified_seq: seq,
    unbroken,
    count,
    ...(since !== undefined && { since: isoTime(since) }),
    ...(fault !== undefined && {
      fault: {
        seq: fault.seq,
        reason: fault.reason,
        ...(fault.after !== undefined && { after: isoTime(fault.after) }),
      },
    }),
  }
}

function isoTime(instant: number): string {
  return new Date(instant).toISOString()
}

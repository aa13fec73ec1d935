import { Readable } from 'node:stream'
import { bodySchema, defineRoute, type Route, type RouteContext } from '@svc/platform'
import { canonical } from '../chain/entry.ts'
import { ActivityError } from '../errors.ts'
import type { ActivityServices } from '../services.ts'
import { exportLines } from '../verify/export-lines.ts'
import { requireSettingsApp } from './callers.ts'

interface ExportBody {
  readonly confirmation_code: string
  readonly confirmation_state: string
}

const MAX_TEXT = 512

const BODY = bodySchema<ExportBody>({
  type: 'object',
  required: ['confirmation_code', 'confirmation_state'],
  properties: {
    confirmation_code: { type: 'string', minLength: 1, maxLength: MAX_TEXT },
    confirmation_state: { type: 'string', minLength: 1, maxLength: MAX_TEXT },
  },
})

export const exportRoute: Route<ActivityServices> = defineRoute({
  method: 'POST',
  path: '/settings/activity/export',
  handler: exportActivity,
  auth: requireSettingsApp,
  body: {
    types: ['json'],
    schema: BODY,
    refuse: () => new ActivityError('confirmation_required'),
  },
  limit: [{ bucket: 'activity-export', counts: 'requests' }],
  statuses: [200, 400, 401, 403, 413, 415, 429],
  activity: 'record.exported',
  family: 'jsonapi',
  cors: 'app-origins',
  summary: 'The whole record as JSON lines, which `npx @svc/activity verify` verifies.',
  source: 'owner.md 5.7',
})

async function exportActivity(
  ctx: RouteContext<ExportBody>,
  services: ActivityServices,
): Promise<void> {
  const { instance, body } = ctx.state
  const { owners, store, notes, chainer, clock } = services
  const code = body?.confirmation_code ?? ''
  const state = body?.confirmation_state ?? ''
  if (!(await owners.isConfirmed(instance, { code, state }))) {
    throw new ActivityError('confirmation_required')
  }
  await store.write([
    ...notes.pending(instance, { event: 'record.exported', actor: { kind: 'owner' } }),
  ])
  await chainer.chain(instance.id)
  ctx.type = 'application/jsonl'
  ctx.set(
    'Content-Disposition',
    `attachment; filename="activity-${fileName(instance.domain)}.jsonl"`,
  )
  const lines = exportLines(store, instance, clock.now())
  ctx.body = Readable.from(asTexts(lines))
}

async function* asTexts(lines: ReturnType<typeof exportLines>): AsyncGenerator<string> {
  for await (const line of lines) yield `${canonical(line)}\n`
}

function fileName(domain: string): string {
  return domain.replaceAll(/[^a-z0-9.-]/g, '-')
}

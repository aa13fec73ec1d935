import type { OAuth } from '@svc/oauth-core'
import type { Instance, RouteContext, RouteMiddleware, RouteRow } from '@svc/platform'
import { insufficientScope } from '@svc/oauth-core'
import type { Lifetimes } from '../lifetimes.ts'
import { NotifyError } from '../notify-error.ts'
import { zoneOf } from '../preferences/zoned-time.ts'
import type { Accept, Accepted } from './accept.ts'
import { type Attributes, judgeAttributes } from './attributes.ts'
import { notificationBodySchema } from './attributes.schema.ts'
import type { Declarations } from './declarations.ts'
import { idempotentRequest } from './idempotency.ts'
import { malformedJson, wordErrors } from './jsonapi-errors.ts'
import { toResource } from '../outbox/notification-json.ts'
import type { PostQuotas } from './post-limits.ts'
import { mayPost, posterOf, type TokenPoster } from './poster.ts'

export interface PostDependencies {
  readonly oauth: Pick<OAuth, 'authenticate' | 'clock' | 'namespace'>
  readonly quotas: PostQuotas
  readonly declarations: Declarations
  readonly accept: Accept
  readonly lifetimes: Pick<Lifetimes, 'atAhead' | 'atPast'>
}

/** Bytes of a body (D36). */
const LIMIT_BYTES = 524_288

/** `POST /notifications`, checked in the order of notifications.md 3.2. */
export function postRow(dependencies: PostDependencies): RouteRow {
  // What the middleware found; the handler of the same request goes on from it.
  const posters = new WeakMap<RouteContext, TokenPoster>()

  const requirePoster: RouteMiddleware = async function requirePoster(ctx, next) {
    const { oauth } = dependencies
    await oauth.authenticate(ctx)
    const { access } = ctx.state
    const poster = access && posterOf(access, oauth.namespace)
    if (poster === undefined) {
      const description = 'Not authorized to send notification'
      throw new NotifyError('not_authorized', { description })
    }
    if (!mayPost(poster, oauth.namespace)) throw insufficientScope()
    posters.set(ctx, poster)
    await next()
  }

  const countPosts: RouteMiddleware = async function countPosts(ctx, next) {
    const poster = posters.get(ctx)
    if (poster === undefined) throw new TypeError('a post without a poster')
    await dependencies.quotas.counted(ctx.state.instance, poster, next)
  }

  return {
    method: 'POST',
    path: '/notifications',
    async handler(ctx) {
      const poster = posters.get(ctx)
      if (poster !== undefined) answer(ctx, await post(ctx, poster, dependencies), dependencies)
    },
    auth: ['app token', 'access token', 'konnector token'],
    body: {
      types: ['json'],
      withoutType: 'json',
      limitBytes: LIMIT_BYTES,
      schema: notificationBodySchema,
    },
    statuses: [201, 400, 401, 403, 404, 409, 413, 415, 422, 429],
    family: 'jsonapi',
    cors: 'app-origins-or-any',
    limit: 'notify-post',
    use: [wordErrors, requirePoster, countPosts],
    summary: 'Accepts a notification to the owner.',
    source: 'notifications.md 3',
  }
}

async function post(
  ctx: RouteContext,
  poster: TokenPoster,
  dependencies: PostDependencies,
): Promise<Accepted> {
  const { oauth, declarations, accept, lifetimes } = dependencies
  const { instance } = ctx.state
  const attributes = readAttributes(ctx.state.json)
  requireTitle(attributes)
  const { category } = attributes
  const declared = await declarations.categoryOf(instance, poster, category)
  const judging = { category: declared, now: oauth.clock.now(), bounds: lifetimes }
  const judged = judgeAttributes(attributes, { ...judging, zone: zoneOf(instance) })
  if ('faults' in judged) throw NotifyError.ofAll(judged.faults)
  const idempotent = idempotentOf(ctx, instance, poster, attributes)
  return accept({
    ...{ instance, poster, declared, draft: judged.draft },
    // The declaration was found by it.
    category: String(category),
    ...(idempotent !== undefined && { idempotent }),
  })
}

function idempotentOf(
  ctx: RouteContext,
  instance: Instance,
  { subject }: TokenPoster,
  attributes: Attributes,
) {
  return idempotentRequest(instance.id, subject, ctx.get('Idempotency-Key'), attributes)
}

/** SPEC: D23 - `data.type` and `data.id` mean nothing. @throws NotifyError 400 `malformed_json` */
function readAttributes(body: unknown): Attributes {
  const data = member(body, 'data')
  if (data === undefined) throw malformedJson()
  return member(data, 'attributes') ?? {}
}

/** @throws NotifyError 400 `malformed_json` for anything but an object; undefined when it is not there */
function member(value: unknown, name: string): Attributes | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformedJson()
  // An object that JSON.parse made.
  const found = (value as Attributes)[name]
  if (found === undefined || found === null) return undefined
  if (typeof found !== 'object' || Array.isArray(found)) throw malformedJson()
  return found as Attributes
}

/** @throws NotifyError 400 `invalid_notification` */
export function requireTitle({ title }: Attributes): void {
  if (title !== undefined && title !== null && (typeof title !== 'string' || title.trim() !== '')) {
    return
  }
  const pointer = '/data/attributes/title'
  const description = 'Notification is not valid'
  throw new NotifyError('invalid_notification', { description, pointer })
}

function answer(
  ctx: RouteContext,
  { record, skipped, isReplay }: Accepted,
  { oauth }: PostDependencies,
): void {
  const resource = toResource(record, oauth.namespace)
  const meta = { ...resource.meta, ...(skipped !== undefined && { skipped }) }
  ctx.status = 201
  ctx.set('Location', resource.links.self)
  if (isReplay === true) ctx.set('Idempotency-Replayed', 'true')
  ctx.type = 'application/vnd.api+json'
  ctx.body = JSON.stringify({ data: { ...resource, meta } })
}

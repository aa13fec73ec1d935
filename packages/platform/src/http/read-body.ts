import { isLongInteger, parseExact } from '@svc/store'
import type { koaBody } from 'koa-body'
import { isConsumed, takeRawBody } from './consumed-body.ts'
import { RequestError } from './request-error.ts'
import { Parameters } from './parameters.ts'
import type { RouteContext } from './request-state.ts'
import type { BodyRule } from './route.ts'
import type { PlatformLog } from '../log/log-events.ts'

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPES: readonly string[] = ['application/json', 'application/vnd.api+json']
const DEFAULT_LIMIT_BYTES = 65_536
const MAX_DEPTH = 32

type BodyKind = 'form' | 'json'
type KoaBody = ReturnType<typeof koaBody>

/** Reads the body of one row into `ctx.state.form` or `ctx.state.json`. */
export type BodyReader = (ctx: RouteContext) => Promise<void>

/**
 * @throws OverloadedError when the process holds too much of bodies; RequestError 413 over the limit, 415 (or the
 * rule's own) for another type or any content encoding,
 * 400 `invalid_request` for what cannot be read
 */
export function createBodyReader(rule: BodyRule, log: PlatformLog): BodyReader {
  const limit = rule.limitBytes ?? DEFAULT_LIMIT_BYTES
  let read: KoaBody | undefined

  /** With the first body: the library brings one for schemas, which is the largest that an idle server would hold. */
  async function loadKoaBody(): Promise<KoaBody> {
    const library = await import('koa-body')
    // Bytes come out as latin1, one character each, so that invalid UTF-8 is seen instead of replaced.
    return library.koaBody({
      encoding: 'latin1',
      json: false,
      multipart: false,
      parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never[], // the enum of koa-body is not exported as values
      text: true,
      textLimit: limit,
      textTypes: [FORM, ...JSON_TYPES],
      urlencoded: false,
    })
  }

  async function readText(ctx: RouteContext): Promise<string> {
    if (isConsumed(ctx.req)) return takeRawBody(ctx.req, limit, log).toString('latin1')
    if (read === undefined) {
      read = await loadKoaBody()
      // What ended while that was loaded says nothing any more, and would be waited for.
      if (ctx.req.destroyed) throw unreadable(new Error('the connection has ended'))
    }
    // koa-body's own context type knows nothing of our state.
    const reading = read(ctx as never, async () => {}).catch((error: unknown) => {
      // Nobody reads the rest: the connection ends with the answer, whatever that will be.
      if (isTooLarge(error)) ctx.set('Connection', 'close')
      throw unreadable(error)
    })
    await (ctx.state.load?.countBody(ctx.req, reading) ?? reading)
    const { body } = ctx.request as { body?: unknown }
    // Left alone: the content type looked like one of ours and is malformed behind the `;`.
    if (typeof body !== 'string') throw wrongType(rule)
    return body
  }

  return async function readBody(ctx: RouteContext): Promise<void> {
    if (ctx.get('Content-Encoding') !== '') throw new RequestError('unsupported_media_type')
    // As if it had been said: koa-body reads by the header.
    if (rule.withoutType === 'json') ctx.req.headers['content-type'] ??= JSON_TYPES[0]
    const kind = bodyKind(ctx)
    if (kind === undefined || !rule.types.includes(kind)) {
      if (rule.optional === true && isEmpty(ctx)) return
      throw wrongType(rule)
    }
    const text = isEmpty(ctx) ? '' : decodeUtf8(await readText(ctx))
    if (kind === 'form') ctx.state.form = Parameters.parse(text)
    else if (text !== '' || rule.optional !== true)
      ctx.state.json = parseJson(text, rule.keepsDigits)
  }
}

function bodyKind(ctx: RouteContext): BodyKind | undefined {
  const type = (ctx.get('Content-Type').split(';', 1)[0] ?? '').trim().toLowerCase()
  if (type === FORM) return 'form'
  return JSON_TYPES.includes(type) ? 'json' : undefined
}

function isEmpty(ctx: RouteContext): boolean {
  const length = ctx.get('Content-Length')
  return (length === '' || length === '0') && ctx.get('Transfer-Encoding') === ''
}

function wrongType(rule: BodyRule): RequestError {
  const answer = rule.wrongType
  if (answer === undefined) return new RequestError('unsupported_media_type')
  // The rule's code is one of this package's table, or the row's author sees it in the route test.
  return new RequestError(answer.code as 'bad_content_type', {
    status: answer.status,
    ...(answer.description === undefined ? {} : { description: answer.description }),
  })
}

function isTooLarge(error: unknown): boolean {
  return (error as { readonly status?: unknown }).status === 413
}

function unreadable(error: unknown): RequestError {
  if (isTooLarge(error)) return new RequestError('payload_too_large', { cause: error })
  return new RequestError('invalid_request', {
    description: 'the body cannot be read',
    cause: error,
  })
}

function decodeUtf8(latin1: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(latin1, 'latin1'),
    )
  } catch (error) {
    throw new RequestError('invalid_request', {
      description: 'the body is not UTF-8',
      cause: error,
    })
  }
}

function parseJson(text: string, keepsDigits = false): unknown {
  let value: unknown
  try {
    value = keepsDigits ? parseExact(text) : JSON.parse(text)
    // No object, as far as rules can tell.
    if (isLongInteger(value)) value = Number(text)
  } catch (error) {
    throw new RequestError('invalid_request', { description: 'malformed JSON', cause: error })
  }
  if (isDeeper(value, MAX_DEPTH))
    throw new RequestError('invalid_request', { description: 'JSON nested too deep' })
  return value
}

function isDeeper(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (left === 0) return true
  return Object.values(value).some((member) => isDeeper(member, left - 1))
}

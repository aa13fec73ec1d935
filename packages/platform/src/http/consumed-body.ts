import type { IncomingMessage } from 'node:http'
import type { PlatformLog } from '../log/log-events.ts'
import { logOnce } from './log-once.ts'
import { RequestError } from './request-error.ts'

const HINT =
  'the body was read before: put the handler in front of body parsers, or have them keep the bytes as req.rawBody'

/** Whether somebody read of the body before. */
export function isConsumed(request: IncomingMessage): boolean {
  return request.readableDidRead || request.readableEnded
}

/**
 * The bytes of a body that somebody else read and kept. What they made of it is never taken: repeated and nested names
 * cannot be seen in it any more.
 * @throws RequestError `internal_error` when the bytes were not kept, 413 when there are too many
 */
export function takeRawBody(request: IncomingMessage, limit: number, log: PlatformLog): Buffer {
  const { rawBody } = request as { readonly rawBody?: unknown }
  const length = Number(request.headers['content-length'])
  if (!Buffer.isBuffer(rawBody) || rawBody.length !== length) {
    logOnce(log, 'mount.body_consumed', (to) => to.error('mount.body_consumed', { hint: HINT }))
    throw new RequestError('internal_error', { detail: HINT })
  }
  if (length > limit) throw new RequestError('payload_too_large')
  return rawBody
}

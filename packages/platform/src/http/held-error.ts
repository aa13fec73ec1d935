import type { Hold } from '../instances/frozen.ts'
import { RequestError } from './request-error.ts'

/** What a request is answered that an instance which is held does not take. */
export function heldError(hold: Hold): RequestError {
  return hold === 'for-moments'
    ? new RequestError('instance_frozen', { retryAfterS: 1 })
    : new RequestError('instance_moving', { retryAfterS: 60 })
}

import { expect } from 'chai'
import type { Answer } from './intake-server.ts'

/** Title and detail of refusals, as existing clients read them (notifications.md 3.5). */
const WORDS: Readonly<Record<string, readonly [title: string, detail?: string]>> = {
  app_not_found: ['Not Found'],
  category_not_found: ['Forbidden', 'Notification category does not exist'],
  insufficient_scope: ['Forbidden'],
  invalid_notification: ['Bad Request', 'Notification is not valid'],
  invalid_token: ['Unauthorized', 'Invalid JWT token'],
  malformed_json: ['Bad Request', 'JSON input is malformed or is missing mandatory fields'],
  missing_token: ['Unauthorized', 'No token in request'],
  no_category: ['Forbidden', 'No category for this app'],
  not_cancellable: ['Conflict'],
  not_found: ['Not Found'],
  payload_too_large: ['Content Too Large'],
  rate_limited: ['Too Many Requests'],
  unavailable: ['Service Unavailable'],
  unsupported_media_type: ['Unsupported Media Type'],
}

/** Expects one error, whole; `more` are its other members. */
export function expectRefusal(answer: Answer, status: number, code: string, more = {}): void {
  const [title, detail] = WORDS[code] ?? []
  const error = {
    status: `${status}`,
    code,
    title,
    ...(detail !== undefined && { detail }),
    ...more,
  }
  expect([answer.status, answer.errors]).to.deep.equal([status, [error]])
}

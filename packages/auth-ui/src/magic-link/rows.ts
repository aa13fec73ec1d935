import type { RouteHandler, RouteRow } from '@svc/platform'
import type { MagicLinkHandlers } from './magic-link.ts'
import {
  LINK_PASSPHRASE_SCHEMA,
  OPEN_LINK_SCHEMA,
  REQUEST_LINK_SCHEMA,
} from './magic-link.schema.ts'

/** The mailed link, from asking for it to following it. */
export function magicLinkRows(
  requestLink: RouteHandler,
  link: MagicLinkHandlers,
): readonly RouteRow[] {
  return [
    {
      method: 'POST',
      path: '/auth/magic_link',
      handler: requestLink,
      auth: ['none'],
      body: { types: ['form'], optional: true, schema: REQUEST_LINK_SCHEMA },
      statuses: [200, 400, 403, 404, 412, 413, 415, 429],
      family: 'html',
      csrf: 'origin',
      limit: 'magic-link-send',
      summary: 'Mails a link that logs the owner in.',
      source: 'login.md 5.3',
    },
    {
      method: 'GET',
      path: '/auth/magic_link',
      handler: link.show,
      auth: ['code', 'session cookie'],
      statuses: [200, 302, 400, 412, 429],
      family: 'html',
      limit: 'magic-link',
      summary: 'Logs in the browser that asked for the link; shows any other one a button.',
      source: 'login.md 5.3',
    },
    {
      method: 'POST',
      path: '/auth/magic_link/open',
      handler: link.open,
      auth: ['code'],
      body: { types: ['form'], schema: OPEN_LINK_SCHEMA },
      statuses: [200, 302, 400, 401, 403, 412, 413, 415, 429],
      family: 'html',
      csrf: 'origin',
      limit: 'magic-link',
      summary: 'Logs in with a link that was opened in another browser.',
      source: 'login.md 5.3',
    },
    {
      method: 'POST',
      path: '/auth/magic_link/twofactor',
      handler: link.openWithPassphrase,
      auth: ['code', 'passphrase'],
      body: { types: ['form'], schema: LINK_PASSPHRASE_SCHEMA },
      statuses: [200, 302, 400, 401, 403, 412, 413, 415, 429],
      family: 'html',
      csrf: 'origin',
      limit: 'magic-link',
      summary: 'Logs in with a link and the passphrase, which stands for the second factor.',
      source: 'login.md 5.3',
    },
  ]
}

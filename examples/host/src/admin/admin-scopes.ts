/** What a named admin token may be made for: a noun, and what is done to it. */
export const ADMIN_SCOPES = [
  'account-types:read',
  'account-types:write',
  'accounts:read',
  'accounts:write',
  'apps:read',
  'apps:write',
  'backups:create',
  'clients:certify',
  'clients:read',
  'clients:revoke',
  'instances:create',
  'instances:delete',
  'instances:read',
  'instances:update',
  'keys:read',
  'keys:write',
  'konnectors:read',
  'konnectors:write',
  'mails:read',
  'notifications:read',
  'notifications:write',
  'owners:enter',
  'owners:onboard',
  'server:check',
  'server:read',
  'tokens:create',
  'transfers:export',
  'transfers:import',
] as const

export type AdminScope = (typeof ADMIN_SCOPES)[number]

/** What a route asks of a token: a scope, or that it is the one that may do everything. */
export type RouteScope = AdminScope | 'everything'

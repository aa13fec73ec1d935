import type { ResourceOptions } from '../src/index.ts'

export const MCP: ResourceOptions = {
  path: '/mcp',
  name: 'Assistants',
  scopes: ['io.svc.contacts:GET', 'io.svc.notes:GET'],
  isOpen: true,
}

/** Of clients with a secret only. */
export const PHOTOS: ResourceOptions = {
  path: '/photos/mcp',
  name: 'Photos',
  scopes: ['io.svc.photos:GET'],
  isOpen: false,
}

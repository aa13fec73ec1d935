import type { EventLog, PLATFORM_LOG_EVENTS } from '@svc/platform'

/** What this package writes into the log. */
export const MCP_LOG_EVENTS = {
  'mcp.protocol_failed': {
    level: 'warn',
    when: 'The protocol library failed at a request, which was answered as an internal error.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
} as const

/** The log as this package writes to it, and as it hands it to `@svc/platform`. */
export type McpLog = EventLog<typeof PLATFORM_LOG_EVENTS & typeof MCP_LOG_EVENTS>

import '@svc/store/node-version'
export { createMcp, type Mcp } from './create-mcp.ts'
export type { CallEvent } from './calls/call-events.ts'
export type {
  ChangedFields,
  DataDocument,
  DataPage,
  DataPort,
  KindWords,
  NewDocument,
  SeenDocument,
} from './data/data-port.ts'
export { ERRORS, McpError, type McpErrorCode } from './errors.ts'
export { DEFAULT_LIMITS, type McpBucket } from './limits.ts'
export { MCP_LOG_EVENTS } from './log/log-events.ts'
export type { McpOptions } from './options.ts'
export { ToolError, type ToolErrorCode } from './tool-error.ts'
export type {
  CallNote,
  Need,
  ObjectSchema,
  PlannedWrite,
  ToolCaller,
  ToolContext,
  ToolOptions,
} from './tools/tool.ts'

export { CONNECTION_BOUNDS, type ConnectionBounds } from './connections/bounds.ts'
export {
  type ConnectionFigures,
  type ConnectionLimits,
  limitConnections,
  type LimitConnectionsOptions,
} from './connections/limit-connections.ts'
export {
  REFUSAL_REASONS,
  type RefusalLog,
  type RefusalReason,
} from './connections/refusals.ts'
export { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts'
export { ERRORS, OverloadedError } from './load/errors.ts'
export {
  limitLoad,
  type LimitLoadOptions,
  type LoadContext,
  type LoadFigures,
  type LoadLimits,
} from './load/limit-load.ts'
export type { RequestLoad } from './load/request-load.ts'
export { networkOf } from './network-of.ts'

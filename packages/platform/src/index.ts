export {
  type CodedError,
  type CodedErrorOptions,
  defineErrors,
  type ErrorClass,
  type ErrorFault,
  type ErrorRow,
} from './define-errors.ts'
export { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts'

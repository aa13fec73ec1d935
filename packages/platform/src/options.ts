// The store has options, too, and stands below this package: what they are made of is there.
export {
  type AnyOption,
  defineOptions,
  either,
  flag,
  func,
  type GivenMembers,
  group,
  hooks,
  instance,
  integer,
  list,
  type Members,
  milliseconds,
  object,
  oneOf,
  Option,
  type OptionFault,
  type OptionOf,
  type OptionsDefinition,
  OptionsError,
  type OptionsFor,
  port,
  type Problem,
  record,
  type Settled,
  type SettledMembers,
  type Shape,
  text,
} from '@svc/store/options'
export { cidrs } from './network-options.ts'
export { counts, lifetimes, type NumberGroup, type NumberRange } from './number-options.ts'
export { rateLimits } from './rate-limit-options.ts'

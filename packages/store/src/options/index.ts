import '../entry/node-version.ts'
export { defineOptions, type OptionsDefinition } from './define-options.ts'
export { type OptionFault, OptionsError } from './faults.ts'
export { fitsSchema, type JsonSchema } from './json-schema.ts'
export { nearestName } from './nearest-name.ts'
export {
  type AnyOption,
  type Members,
  Option,
  type OptionOf,
  type OptionsFor,
  type Problem,
  type Shape,
} from './option.ts'
export {
  either,
  flag,
  func,
  type GivenMembers,
  group,
  hooks,
  instance,
  integer,
  list,
  milliseconds,
  object,
  oneOf,
  port,
  record,
  type Settled,
  type SettledMembers,
  text,
} from './shapes.ts'

import { ConfigError } from '../../src/config/config.ts'

/** What is wrong with a configuration; nothing when it is loaded. */
export function faultsOf(load: () => unknown): readonly string[] {
  try {
    load()
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

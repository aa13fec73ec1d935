import { createRequire } from 'node:module'
import type * as polyfill from 'temporal-polyfill'

const load = createRequire(import.meta.url)

/**
 * `Temporal`, loaded when a time of day is first asked for: 6 MiB that many servers never need. Rules ask in the middle
 * of a decision, so it is loaded synchronously and no caller awaits a promise.
 * @see docs/decisions/0721
 */
export function temporal(): typeof polyfill.Temporal {
  return (load('temporal-polyfill') as typeof polyfill).Temporal
}

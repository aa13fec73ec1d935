import type { OAuth, OAuthEvents } from '@svc/oauth-core'
import type { Counter, Registry } from 'prom-client'
import { instrument } from './metric-table.ts'

/** How many refreshes of rotating tokens ended in each way, in this process. */
export type RefreshFigures = Readonly<Record<OAuthEvents['token.rotated']['outcome'], number>>

/** Counts from now on. */
export function countRefreshes(oauth: Pick<OAuth, 'on'>): () => RefreshFigures {
  const counts = { rotated: 0, repeated: 0, reuse: 0, refused: 0 }
  oauth.on('token.rotated', ({ outcome }) => {
    counts[outcome] += 1
  })
  return () => counts
}

/** Shows how refreshes of rotating tokens ended. @see assistants.md 7.3 */
export function registerRefreshFigures(
  CounterClass: typeof Counter,
  registry: Registry,
  figures: () => RefreshFigures,
): void {
  new CounterClass({
    ...instrument<'outcome'>('svc_refresh_total'),
    registers: [registry],
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(figures())) this.inc({ outcome }, count)
    },
  })
}

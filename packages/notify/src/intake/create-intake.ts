import type { OAuth } from '@svc/oauth-core'
import type { Instance, Logger, RateLimits, RouteRow } from '@svc/platform'
import type { Lifetimes } from '../lifetimes.ts'
import type { NotifyBucket } from '../limits.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { NotifyApps } from '../ports.ts'
import { createAccept } from './accept.ts'
import { createDeclarations } from './declarations.ts'
import { createPostInternal, type PostInternal } from './post-internal.ts'
import { postRow } from './post-notification.ts'
import { createPostQuotas } from './post-limits.ts'
import { singleRows } from './single-notification.ts'
import { createSourceTurns } from './source-queue.ts'

export interface IntakeParts {
  readonly oauth: Pick<OAuth, 'apps' | 'authenticate' | 'clock' | 'namespace' | 'store'>
  readonly outbox: Outbox
  /** Over a limit it throws NotifyError `rate_limited` with `Retry-After`. */
  readonly limits: Pick<RateLimits<NotifyBucket>, 'hit' | 'release'>
  readonly lifetimes: Lifetimes
  readonly log: Logger
  /** @defaultValue konnectors have no declarations */
  readonly apps?: NotifyApps
  /** Notifications not yet final of one source owner. @defaultValue `200` */
  readonly maxUnfinished?: number
  /** First part of source ids. @defaultValue `svc` */
  readonly sourcePrefix?: string
}

/** Takes notifications on. @see notifications.md 2 to 7, 11, 15 */
export interface Intake {
  /** Mounted behind those of other paths below `/notifications/`, since `:id` takes any. */
  readonly rows: readonly RouteRow[]
  readonly post: PostInternal
  /** To be called when an instance is removed. Notifications are the outbox's to remove. */
  forget(instance: Instance): Promise<void>
}

export function createIntake(parts: IntakeParts): Intake {
  const { oauth, outbox, limits, lifetimes, log, apps = {} } = parts
  const { maxUnfinished = 200, sourcePrefix = 'svc' } = parts
  const { store, clock } = oauth
  const declarations = createDeclarations({ oauth, apps, log })
  const turns = createSourceTurns({
    ...{ store, clock, outbox, maxUnfinished, atAhead: lifetimes.atAhead },
  })
  const { idempotencyKey } = lifetimes
  const accept = createAccept({ store, clock, log, outbox, turns, sourcePrefix, idempotencyKey })
  const quotas = createPostQuotas(limits)
  return {
    rows: [
      postRow({ oauth, quotas, declarations, accept, lifetimes }),
      ...singleRows({ oauth, outbox }),
    ],
    post: createPostInternal({ clock, declarations, accept, lifetimes }),
    forget: turns.forget,
  }
}

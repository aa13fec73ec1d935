import type { AppRegistry, OAuth } from '@svc/oauth-core'
import type { Keyring } from '@svc/platform'
import type { Clock, Store } from '@svc/store'
import type { Background } from './background.ts'
import type { Lifetimes } from './lifetimes.ts'
import type { ResolvedOptions } from './options.ts'
import type { OwnerStore } from './owner/owner-store.ts'
import type { PageRenderer } from './pages/page-renderer.ts'
import type { PasswordHasher } from './passphrase/password-hash.ts'
import type { TimingEqualizer } from './passphrase/timing-equalizer.ts'
import type { EventSink, HostHooks, Mailer } from './ports.ts'
import type { RateLimits } from './rate-limits.ts'
import type { SessionMiddleware } from './session/session-middleware.ts'
import type { SessionCookies } from './session/session-cookie.ts'
import type { SessionStore } from './session/session-store.ts'
import type { Csrf } from './web/csrf.ts'
import type { AuthUiLog } from './log/log-events.ts'

/**
 * What the package is made of; `createAuthUi` alone assembles it. Handlers are plain functions `(ctx, services)`, rules
 * are plain functions `(services, instance, …values)`; what only one noun needs belongs to that noun.
 *
 * The folders, from the ground up. A folder imports only from folders of lines above its own:
 *
 * - `web` - what is read of a request and written into an answer: cookies, CSRF, MACs, redirect targets, who calls
 * - `owner` - the owner's record and its store, one-time values
 * - `session` - sessions, their cookies and the middleware; codes that become sessions; known devices; login history
 * - `consent`, then `pages` - what is shown, and nothing of what decides about it
 * - `factors` - the second factor: challenges, factors, trusted devices
 * - `login` - what decides who is logged in and what a login completes: `completeLogin`, `authorizeLogin`, the passphrase
 *   check, asking for the second step; and the endpoints `/auth/login`
 * - `confirm`, `magic-link`, `move`, `passphrase`, `session-code`, `authorize` - ways in, and what else takes a login
 * - `apps`, `flagship`, `settings`, `share-by-link`, `two-factor` - what stands on several of these
 * - `profile` - who the owner is, and changes of the mail address
 * - `host` - the host's side of owners, without HTTP
 */
export interface AuthUiServices {
  /** The settled options: slugs, limits, what the host allows. */
  readonly options: ResolvedOptions
  readonly oauth: OAuth
  readonly store: Store
  readonly apps: AppRegistry
  readonly clock: Clock
  readonly log: AuthUiLog
  readonly keyring: Keyring
  /** Prefix of doctypes. */
  readonly namespace: string
  readonly hooks: HostHooks
  readonly events: EventSink
  readonly mailer: Mailer
  readonly lifetimes: Lifetimes
  readonly background: Background
  readonly limits: RateLimits
  readonly csrf: Csrf
  readonly pages: PageRenderer
  readonly owners: OwnerStore
  readonly hasher: PasswordHasher
  /** Hides in the time of an answer whether there was something to do. */
  readonly timing: TimingEqualizer
  readonly sessions: SessionStore
  readonly cookies: SessionCookies
  readonly sessionMiddleware: SessionMiddleware
}

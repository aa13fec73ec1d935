// Compiled, never run: what the types promise and refuse.
import { type AuthUi, createAuthUi, type Mailer } from '@svc/auth-ui'
import type { AuthorizePages, OAuth, OwnerSessions } from '@svc/oauth-core'

type Equals<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function assertType<_Holds extends true>(): void {}

export function checkAuthUi(oauth: OAuth, mailer: Mailer): void {
  const ui = createAuthUi({ oauth, mailer })
  assertType<Equals<typeof ui, AuthUi>>()
  // Both ports of oauth-core are there for the host to connect.
  assertType<Equals<typeof ui.sessions, OwnerSessions>>()
  assertType<Equals<typeof ui.pages, AuthorizePages>>()

  // @ts-expect-error a mailer is needed
  createAuthUi({ oauth })
  // @ts-expect-error lifetimes are numbers of milliseconds
  createAuthUi({ oauth, mailer, lifetimes: { shortSession: '5m' } })
  // @ts-expect-error there is no limit of this name
  createAuthUi({ oauth, mailer, limits: { nobody: { limit: 1, windowMs: 1 } } })
}

// Compiled, never run: what the types promise and refuse.
import {
  type AuthUi,
  createAuthUi,
  type EventSink,
  type FactorChange,
  type BuiltInFactorKind,
  type Mailer,
  type OwnerAccessFacts,
  type Owners,
  type RevokeOAuthOnReset,
  type SystemMail,
} from '@svc/auth-ui'
import type { AuthorizePages, OAuth, OwnerSessions } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'

type Equals<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function assertType<_Holds extends true>(): void {}

export function checkAuthUi(oauth: OAuth, mailer: Mailer): void {
  const ui = createAuthUi({ oauth, mailer })
  assertType<Equals<typeof ui, AuthUi>>()
  // Both ports of oauth-core are there for the host to connect.
  const sessions: OwnerSessions = ui.sessions
  void sessions
  assertType<Equals<typeof ui.pages, AuthorizePages>>()

  // @ts-expect-error a mailer is needed
  createAuthUi({ oauth })
  // @ts-expect-error lifetimes are numbers of milliseconds
  createAuthUi({ oauth, mailer, lifetimes: { shortSession: '5m' } })
  // @ts-expect-error there is no limit of this name
  createAuthUi({ oauth, mailer, limits: { nobody: { limit: 1, windowMs: 1 } } })
}

export function checkOptions(oauth: OAuth, mailer: Mailer, events: EventSink): void {
  const revokeOAuthOnReset: RevokeOAuthOnReset = 'all'
  createAuthUi({ oauth, mailer, events, passphrase: { revokeOAuthOnReset } })
  createAuthUi({ oauth, mailer, confirm: { authorizedHosts: ['bank.example'] } })

  // @ts-expect-error whoever is told of events has to take them
  createAuthUi({ oauth, mailer, events: {} })
  // @ts-expect-error the hosts are a list
  createAuthUi({ oauth, mailer, confirm: { authorizedHosts: 'bank.example' } })
  // @ts-expect-error tokens end for nobody, the flagship app or all
  createAuthUi({ oauth, mailer, passphrase: { revokeOAuthOnReset: 'some' } })
}

export async function checkOwners(ui: AuthUi, instance: Instance): Promise<void> {
  const { owners } = ui
  assertType<Equals<typeof owners, Owners>>()
  const access = await owners.access(instance)
  assertType<Equals<typeof access, OwnerAccessFacts>>()
  const link = await owners.createMagicLinkCode(instance)
  assertType<Equals<typeof link, { readonly code: string; readonly url: string }>>()
  await owners.setAuthMode(instance, 'basic')
  await owners.resetPassphrase(instance, 'correct horse battery staple')
  const isConfirmed = await ui.isConfirmed(instance, { code: link.code, state: 'x', slug: 'bank' })
  assertType<Equals<typeof isConfirmed, boolean>>()

  // @ts-expect-error there are two modes
  await owners.setAuthMode(instance, 'two_factor_totp')
  // @ts-expect-error a confirmation is good for one app only
  await ui.isConfirmed(instance, { code: link.code, state: 'x' })
}

/** A mailer of one's own can tell every mail apart. */
export function subjectOf(mail: SystemMail): string {
  if (mail.template !== 'auth_mode_changed') return mail.template
  const { change, factor } = mail.variables
  assertType<Equals<typeof change, FactorChange>>()
  assertType<Equals<typeof factor, BuiltInFactorKind | 'own'>>()
  return `${change}: ${factor}`
}

// Compiled, never run: what the types promise and refuse.
import {
  type AccountDocument,
  type AccountStore,
  type Connectors,
  createConnectors,
  type EventSink,
  type OwnerLogins,
} from '@svc/connectors'
import type { AuthorizePages, OAuth } from '@svc/oauth-core'
import type { Instance, RequestView, RouteContext } from '@svc/platform'

type Equals<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function assertType<_Holds extends true>(): void {}

/** As `@svc/auth-ui` has them. */
interface UiSessions {
  current(
    request: RequestView,
  ): Promise<{ readonly id: string; readonly kind: 'short' } | undefined>
  admit(ctx: RouteContext, code: string): Promise<boolean>
}

/** As `@svc/realtime` has it. */
interface Realtime {
  publish(
    instance: Pick<Instance, 'id'>,
    verb: 'CREATED' | 'UPDATED' | 'DELETED' | 'NOTIFIED',
    event: {
      readonly type: string
      readonly id: string
      readonly doc?: Readonly<Record<string, unknown>>
    },
  ): Promise<void>
}

export async function checkConnectors(
  oauth: OAuth,
  accounts: AccountStore,
  ui: { readonly sessions: UiSessions; readonly pages: AuthorizePages },
  realtime: Realtime,
  instance: Instance,
): Promise<void> {
  const sessions: OwnerLogins = ui.sessions
  const events: EventSink = realtime
  const connectors = createConnectors({ oauth, accounts, sessions, events })
  assertType<Equals<typeof connectors, Connectors>>()
  connectors.routes()
  connectors.routes({ pages: ui.pages })
  const account = await connectors.importAccount(instance, {
    accountType: 'bank',
    refreshToken: 'token',
  })
  assertType<Equals<typeof account, AccountDocument>>()
  connectors.on('account.connected', ({ how }) => {
    assertType<Equals<typeof how, 'create' | 'reconnect' | 'import'>>()
  })

  createConnectors({ oauth, sessions })
  // @ts-expect-error -- who is logged in only the host can say
  createConnectors({ oauth, accounts })
  // @ts-expect-error -- no such option
  createConnectors({ oauth, accounts, sessions, keyring: {} })
  // @ts-expect-error -- no such event
  connectors.on('account.created', () => {})
}

import type { OAuth } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { TypeRules } from './events/doctype.ts'
import type { RealtimeEvent } from './events/event.ts'

/** What the endpoints of the package need of it; its other parts are objects that know each other. */
export interface RealtimeServices {
  readonly oauth: Pick<OAuth, 'authenticate'>
  readonly rules: TypeRules
  /** Sends a document that is not stored to the subscribers of an instance. */
  readonly notify: (instance: Instance, event: RealtimeEvent) => Promise<void>
}

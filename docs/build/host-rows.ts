import path from 'node:path'
import { konnectorListRoutes } from '../../examples/host/src/accounts/konnector-list.ts'
import { demoRows, mailRows, outboxRows } from '../../examples/host/src/demo/routes.ts'
import { createDevMailbox } from '../../examples/host/src/demo/pages/mailbox.ts'
import { createDevOutbox } from '../../examples/host/src/demo/pages/outbox.ts'
import { createShareStore } from '../../examples/host/src/demo/shares/share-store.ts'
import { createSharingOffers } from '../../examples/host/src/demo/shares/sharing-offers.ts'
import { sharingLimits } from '../../examples/host/src/demo/shares/sharing-routes.ts'
import { createDocumentStore } from '../../examples/host/src/documents/document-store.ts'
import { createHostKonnectors } from '../../examples/host/src/konnectors/registry.ts'
import type { AuthUi } from '../../packages/auth-ui/src/index.ts'
import type { Connectors } from '../../packages/connectors/src/index.ts'
import type { Notify } from '../../packages/notify/src/index.ts'
import type { AppRegistry, OAuth } from '../../packages/oauth-core/src/index.ts'
import { bindRoutes, type RouteRow } from '../../packages/platform/src/index.ts'
import { ROOT } from './document.ts'

/** The packages, put together. */
export interface Assembled {
  readonly oauth: OAuth
  readonly apps: AppRegistry
  readonly ui: AuthUi
  readonly notify: Notify
  readonly connectors: Connectors
}

/** The endpoints that the example host has of its own. */
export function hostRows({ oauth, apps, ui, notify, connectors }: Assembled): RouteRow[] {
  const { store, clock, namespace } = oauth
  const documents = createDocumentStore(store)
  const folder = path.join(ROOT, 'examples/host/konnectors')
  const konnectors = createHostKonnectors({ store, folder, namespace })
  const offers = createSharingOffers({ store, clock, apps })
  const outbox = createDevOutbox({ store, clock, deviceName: () => Promise.resolve(undefined) })
  const devPages = { areOn: () => Promise.resolve(true) }
  const isAny = (): boolean => true
  return [
    ...bindRoutes(konnectorListRoutes, { oauth, namespace, konnectors, connectors }),
    ...demoRows({
      oauth,
      ui,
      documents,
      shown: documents,
      events: { isServerType: () => false, publish: () => Promise.resolve() },
      rules: [],
      confirmedTypes: new Set(),
      isConfirmed: ui.isConfirmed,
      shares: createShareStore(store),
      isShareable: isAny,
      offers,
      limits: sharingLimits(store, clock),
      isOfferable: isAny,
    }),
    ...mailRows({
      clock,
      devPages,
      mailbox: createDevMailbox(store, clock),
      render: notify.render,
    }),
    ...outboxRows({ devPages, outbox }),
  ]
}

import path from 'node:path'
import { konnectorListRows } from '../../examples/host/src/accounts/konnector-list.ts'
import { dataRoutes } from '../../examples/host/src/demo/data/data-routes.ts'
import { createDocumentStore } from '../../examples/host/src/documents/document-store.ts'
import { mailRoutes } from '../../examples/host/src/demo/pages/mail-routes.ts'
import { createDevMailbox } from '../../examples/host/src/demo/pages/mailbox.ts'
import { previewRoutes } from '../../examples/host/src/demo/pages/preview-routes.ts'
import { outboxRoutes } from '../../examples/host/src/demo/pages/outbox-routes.ts'
import { createDevOutbox } from '../../examples/host/src/demo/pages/outbox.ts'
import { createHostKonnectors } from '../../examples/host/src/konnectors/registry.ts'
import { shareRoutes } from '../../examples/host/src/demo/shares/share-routes.ts'
import { createShareStore } from '../../examples/host/src/demo/shares/share-store.ts'
import { createSharingOffers } from '../../examples/host/src/demo/shares/sharing-offers.ts'
import { sharingRoutes } from '../../examples/host/src/demo/shares/sharing-routes.ts'
import type { AuthUi } from '../../packages/auth-ui/src/index.ts'
import type { Connectors } from '../../packages/connectors/src/index.ts'
import type { Notify } from '../../packages/notify/src/index.ts'
import type { AppRegistry, OAuth } from '../../packages/oauth-core/src/index.ts'
import type { RouteRow } from '../../packages/platform/src/index.ts'
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
  const offers = createSharingOffers({ store, clock, apps, documents })
  const outbox = createDevOutbox({ store, clock, deviceName: () => Promise.resolve(undefined) })
  const isAny = (): boolean => true
  return [
    ...dataRoutes(oauth, documents),
    ...konnectorListRows({ oauth, namespace, konnectors, connectors }),
    ...shareRoutes({ oauth, ui, shares: createShareStore(store), documents, isShareable: isAny }),
    ...sharingRoutes({ oauth, offers, documents, isOfferable: isAny }),
    ...previewRoutes({ render: notify.render, clock }),
    ...mailRoutes(createDevMailbox(store, clock)),
    ...outboxRoutes(outbox),
  ]
}

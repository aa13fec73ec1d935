import { fileURLToPath } from 'node:url'
import type { AppRegistry, Sharings } from '@svc/oauth-core'
import type { Shares } from '@svc/auth-ui'
import type { Instance, RouteRow } from '@svc/platform'
import type { Clock, Store } from '@svc/store'
import { listAppFolders } from '../apps/registry.ts'
import type { DocumentStore } from '../documents/document-store.ts'
import type { Development } from '../notifications/development.ts'
import type { HostServices } from '../services.ts'
import { accountRules } from './data/account-rules.ts'
import { createConfirmedTypes } from './data/confirmed-types.ts'
import { dataRoutes } from './data/data-routes.ts'
import { publicDocuments } from './data/doctype-rules.ts'
import { createDevMailbox } from './pages/mailbox.ts'
import { mailRoutes } from './pages/mail-routes.ts'
import { createDevOutbox } from './pages/outbox.ts'
import { outboxRoutes } from './pages/outbox-routes.ts'
import { previewRoutes } from './pages/preview-routes.ts'
import { shareRoutes } from './shares/share-routes.ts'
import { createShareStore, type ShareStore } from './shares/share-store.ts'
import { createSharingOffers, type SharingOffers } from './shares/sharing-offers.ts'
import { sharingRoutes } from './shares/sharing-routes.ts'

// The half of the host that only shows. `app.ts` is the one place that loads it, where the configuration wants it.
export { welcome } from './demo-instance.ts'
export { createDevPages } from './pages/dev-pages.ts'

/** The apps of the demo: the folders that they are in, and those that every new instance has. */
export const demoApps: { readonly folders: () => string[]; readonly initial: readonly string[] } = {
  folders: () => [
    ...listAppFolders(fileURLToPath(new URL('../../apps', import.meta.url))),
    // The demo store: nobody has these at first.
    ...listAppFolders(fileURLToPath(new URL('../../store-apps', import.meta.url))),
  ],
  initial: ['home', 'safe'],
}

/** What owners of the demo share, by links and with each other. */
export interface SharedData {
  readonly shares: ShareStore & Shares
  readonly sharings: SharingOffers & Sharings
  /** Removes what is kept of an instance. */
  removeAll(instance: Instance): Promise<void>
}

export function createSharedData(parts: {
  readonly store: Store
  readonly clock: Clock
  readonly apps: Pick<AppRegistry, 'installed'>
  readonly documents: DocumentStore
}): SharedData {
  const shares = createShareStore(parts.store)
  const sharings = createSharingOffers(parts)
  return {
    shares,
    sharings,
    async removeAll(instance) {
      await shares.removeAll(instance)
      await sharings.removeAll(instance)
    },
  }
}

/** What the endpoints of the demo stand on. */
export interface DemoServices extends Pick<HostServices, 'accounts' | 'oauth' | 'realtime' | 'ui'> {
  readonly documents: DocumentStore
  readonly shared: SharedData
}

/** The endpoints that the apps of the demo keep their data with. */
export function demoRows(services: DemoServices): readonly RouteRow[] {
  const { accounts, documents, oauth, realtime, shared, ui } = services
  const { namespace } = oauth
  const confirmedTypes = createConfirmedTypes({
    types: [`${namespace}.safe.secrets`],
    isConfirmed: ui.isConfirmed,
  })
  const rules = [accountRules(`${namespace}.accounts`, accounts.connectors)]
  const shown = publicDocuments(documents, rules)
  // A link shows documents to whoever has it, and an offer makes them another owner's, both without what the types of
  // some of them ask for.
  const isShareable = (type: string): boolean => !confirmedTypes.has(type)
  const isOfferable = (type: string): boolean =>
    isShareable(type) && !realtime.isServerType(type) && rules.every((rule) => rule.type !== type)
  return [
    ...dataRoutes(oauth, documents, { events: realtime, confirmedTypes, rules }),
    ...shareRoutes({ oauth, ui, shares: shared.shares, documents: shown, isShareable }),
    ...sharingRoutes({ oauth, offers: shared.sharings, documents: shown, isOfferable }),
  ]
}

/** What keeps mails, pushes and texts instead of sending them. */
export function createDevelopment(store: Store, clock: Clock): Development {
  return {
    createMailbox: () => createDevMailbox(store, clock),
    createOutbox: (deviceName) => createDevOutbox({ store, clock, deviceName }),
  }
}

/** The pages of what is kept. They hold links that open instances: mount them behind the guard of `createDevPages`. */
export function devRows({
  clock,
  mailbox,
  notify,
  outbox,
}: Pick<HostServices, 'mailbox' | 'notify' | 'outbox'> & {
  readonly clock: Clock
}): readonly RouteRow[] {
  return [
    ...(mailbox === undefined
      ? []
      : [...previewRoutes({ render: notify.render, clock }), ...mailRoutes(mailbox)]),
    ...(outbox === undefined ? [] : outboxRoutes(outbox)),
  ]
}

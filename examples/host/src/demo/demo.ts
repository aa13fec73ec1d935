import { fileURLToPath } from 'node:url'
import type { AppRegistry, Sharings } from '@svc/oauth-core'
import type { Shares } from '@svc/auth-ui'
import type { Instance, RouteRow } from '@svc/platform'
import type { Clock, Store } from '@svc/store'
import { listAppFolders } from '../apps/registry.ts'
import type { DocumentStore } from '../documents/document-store.ts'
import type { Development } from '../notifications/development.ts'
import type { DiskQuota } from '../quota/disk-quota.ts'
import type { HostServices } from '../services.ts'
import { accountRules } from './data/account-rules.ts'
import { publicDocuments } from './data/doctype-rules.ts'
import { createDevMailbox } from './pages/mailbox.ts'
import { createDevOutbox } from './pages/outbox.ts'
import { type DemoServices, mailRows, outboxRows } from './routes.ts'
import { createShareStore, type ShareStore } from './shares/share-store.ts'
import { sharingLimits } from './shares/sharing-routes.ts'
import { createSharingOffers, isOfSharing, type SharingOffers } from './shares/sharing-offers.ts'

// The half of the host that only shows. `app.ts` is the one place that loads it, where the configuration wants it.
export { welcome } from './demo-instance.ts'
export { createDevPages } from './pages/dev-pages.ts'
export { listInstances } from './pages/instance-list.ts'
export { demoRows } from './routes.ts'

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
  /** Whether a link shows a document, or a sharing brought it. */
  readonly isShared: (instance: Instance, type: string, id: string) => Promise<boolean>
  /** Removes what is kept of an instance. */
  removeAll(instance: Instance): Promise<void>
}

export function createSharedData(parts: {
  readonly store: Store
  readonly clock: Clock
  readonly apps: Pick<AppRegistry, 'installed'>
  readonly quota: Pick<DiskQuota, 'admit'>
}): SharedData {
  const shares = createShareStore(parts.store, parts.quota)
  const sharings = createSharingOffers(parts)
  return {
    shares,
    sharings,
    isShared: async (instance, type, id) =>
      isOfSharing(id) || (await shares.shows(instance, type, id)),
    async removeAll(instance) {
      await shares.removeAll(instance)
      await sharings.removeAll(instance)
    },
  }
}

/** What the endpoints of the demo stand on, made of what the server has. */
export function demoServices(
  { accounts, oauth, realtime, ui }: Pick<HostServices, 'accounts' | 'oauth' | 'realtime' | 'ui'>,
  { documents, shared }: { readonly documents: DocumentStore; readonly shared: SharedData },
): DemoServices {
  const { clock, namespace, store } = oauth
  const confirmedTypes = new Set([`${namespace}.safe.secrets`])
  const rules = [accountRules(`${namespace}.accounts`, accounts.connectors, documents)]
  // A link shows documents to whoever has it, and an offer makes them another owner's, both without what the types of
  // some of them ask for.
  const isShareable = (type: string): boolean => !confirmedTypes.has(type)
  return {
    oauth,
    ui,
    documents,
    shown: publicDocuments(documents, rules),
    events: realtime,
    rules,
    confirmedTypes,
    isConfirmed: ui.isConfirmed,
    shares: shared.shares,
    isShareable,
    offers: shared.sharings,
    limits: sharingLimits(store, clock),
    isOfferable: (type) =>
      isShareable(type) &&
      !realtime.isServerType(type) &&
      rules.every((rule) => rule.type !== type),
  }
}

/** What keeps mails, pushes and texts instead of sending them. */
export function createDevelopment(store: Store, clock: Clock): Development {
  return {
    createMailbox: () => createDevMailbox(store, clock),
    createOutbox: (deviceName) => createDevOutbox({ store, clock, deviceName }),
  }
}

/** The pages of what is kept. */
export function devRows({
  clock,
  devPages,
  mailbox,
  notify,
  outbox,
}: Pick<HostServices, 'devPages' | 'mailbox' | 'notify' | 'outbox'> & {
  readonly clock: Clock
}): readonly RouteRow[] {
  const { render } = notify
  return [
    ...(mailbox === undefined ? [] : mailRows({ clock, devPages, mailbox, render })),
    ...(outbox === undefined ? [] : outboxRows({ devPages, outbox })),
  ]
}

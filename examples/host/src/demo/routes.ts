import { bindRoutes, type RouteRow } from '@svc/platform'
import { type DataServices, dataRoutes } from './data/data-routes.ts'
import { type MailPageServices, mailRoutes } from './pages/mail-routes.ts'
import { type OutboxPageServices, outboxRoutes } from './pages/outbox-routes.ts'
import { type PreviewServices, previewRoutes } from './pages/preview-routes.ts'
import { shareRoutes, type ShareServices } from './shares/share-routes.ts'
import { sharingRoutes, type SharingServices } from './shares/sharing-routes.ts'

/** What the endpoints of the demo stand on. */
export type DemoServices = DataServices & ShareServices & SharingServices

/** The endpoints that the apps of the demo keep their data with, in the order of their paths. */
export function demoRows(services: DemoServices): readonly RouteRow[] {
  return [
    ...dataRoutes(services),
    ...bindRoutes(shareRoutes, services),
    ...bindRoutes(sharingRoutes, services),
  ]
}

/** The pages of kept mails. Previews come first: `/dev/mails/:id` takes what is left. */
export function mailRows(services: MailPageServices & PreviewServices): readonly RouteRow[] {
  return [...bindRoutes(previewRoutes, services), ...bindRoutes(mailRoutes, services)]
}

/** The pages of kept pushes and texts. */
export function outboxRows(services: OutboxPageServices): readonly RouteRow[] {
  return bindRoutes(outboxRoutes, services)
}

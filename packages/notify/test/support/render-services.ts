import type { OAuth } from '@svc/oauth-core'
import type { Logger } from '@svc/platform'
import { catalogueOf } from '../../src/mail/catalogue.ts'
import { lazyTemplates } from '../../src/mail/system-mailer.ts'
import type { NotifyApps } from '../../src/ports.ts'
import { createRenderWorker } from '../../src/render/render-worker.ts'
import type { RenderServices } from '../../src/services.ts'

/** What writes the words of notifications. */
export function renderServices(oauth: OAuth, log: Logger, apps: NotifyApps = {}): RenderServices {
  return {
    apps,
    catalogueOf,
    log,
    oauth,
    loadTemplates: lazyTemplates(),
    renderWorker: createRenderWorker(),
  }
}

import type { OAuth } from '@svc/oauth-core'
import type { Logger } from '@svc/platform'
import { timeBudget } from '@svc/testkit'
import { catalogueOf } from '../../src/mail/catalogue.ts'
import { lazyTemplates } from '../../src/mail/system-mailer.ts'
import type { NotifyApps } from '../../src/ports.ts'
import { RENDER_DEADLINE_MS } from '../../src/render/render-job.ts'
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
    // What is slow is the machine: a test of the limit names its own.
    renderWorker: createRenderWorker({ deadlineMs: timeBudget(RENDER_DEADLINE_MS) }),
  }
}

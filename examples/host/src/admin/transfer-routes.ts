import { Readable } from 'node:stream'
import type { ExportKey, ImportKey } from '@svc/platform'
import type { Context } from 'koa'
import type { Config } from '../config/config.ts'
import type { HostEventLog } from '../log/log.ts'
import { PRODUCT_VERSION } from '../processes/product-version.ts'
import type { HostServices } from '../services.ts'
import { ImportJobs } from '../transfer/import-jobs.ts'
import { IMPORT_KEY_HEADER } from '../transfer/import-key-header.ts'
import { checkBody } from './admin.schema.ts'
import { AdminError } from './admin-error.ts'
import { isAsked } from './flags.ts'
import type { AdminRouting } from './owner-routes.ts'

/** Exports and imports of instances. @see operation.md 4.3 */
export function addTransferRoutes(
  { route, anyInstanceOf }: Pick<AdminRouting, 'anyInstanceOf' | 'route'>,
  services: {
    readonly app: HostServices
    readonly config: Config
    readonly log: HostEventLog
  },
): void {
  const { app, log } = services
  const { transfer } = app.oauth
  const jobs = new ImportJobs(services)

  route('post', '/instances/:domain/export', 'transfers:export', async (ctx) => {
    const { move, ...given } = checkBody('exportInstance', ctx.request.body)
    const instance = await anyInstanceOf(ctx)
    const options = {
      key: given as unknown as ExportKey, // the schema has the same members
      move: move === true,
      product: `svc ${PRODUCT_VERSION}`,
    }
    const chunks = transfer.exportInstance(instance.id, options)[Symbol.asyncIterator]()
    // What is refused is refused before the answer begins.
    const first = await chunks.next()
    ctx.type = 'application/octet-stream'
    ctx.body = Readable.from(
      (async function* whole() {
        let next = first
        try {
          for (; next.done !== true; next = await chunks.next()) yield next.value
          log.info('instance.exported', { domain: instance.domain, move: move === true })
        } finally {
          await chunks.return?.()
        }
      })(),
      { objectMode: false },
    )
  })

  route('post', '/instances/:domain/unfreeze', 'transfers:export', async (ctx) => {
    const { force } = checkBody('unfreezeInstance', ctx.request.body ?? {})
    const { id, domain } = await anyInstanceOf(ctx)
    await transfer.unfreeze(id, { force: force === true })
    log.info('instance.unfrozen', { domain })
    ctx.status = 204
  })

  route('post', '/instances/:domain/abort-import', 'transfers:import', async (ctx) => {
    await transfer.abortImport((await anyInstanceOf(ctx)).id)
    ctx.status = 204
  })

  route('post', '/imports', 'transfers:import', async (ctx) => {
    const { domain } = ctx.query
    ctx.status = 202
    ctx.body = {
      import: await jobs.begin(ctx.req, {
        key: readKey(ctx),
        ...(typeof domain === 'string' && { domain }),
        dryRun: isAsked(ctx, 'dry_run'),
        replace: isAsked(ctx, 'replace'),
      }),
    }
  })

  route('get', '/imports/:import', 'transfers:import', async (ctx) => {
    const job = jobs.get(String(ctx['params'].import))
    if (job === undefined) throw new AdminError('import_not_found', 404)
    if (job.state === 'failed') throw job.error
    ctx.body = job
  })
}

function readKey(ctx: Context): ImportKey {
  let given: unknown
  try {
    given = JSON.parse(Buffer.from(ctx.get(IMPORT_KEY_HEADER), 'base64url').toString())
  } catch {}
  return checkBody('importKey', given) as unknown as ImportKey // the schema has the same members
}

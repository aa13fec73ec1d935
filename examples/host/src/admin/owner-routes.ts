import { randomInt } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ImportedOwners } from '@svc/auth-ui'
import type { Instance } from '@svc/platform'
import type { Context } from 'koa'
import { importOwners } from '../create-instance.ts'
import type { HostServices } from '../services.ts'
import { mayAlso } from './admin-bearer.ts'
import { checkBody } from './admin.schema.ts'
import { AdminError } from './admin-error.ts'
import { isAsked } from './flags.ts'
import { Jobs } from './jobs.ts'
import type { RouteScope } from './admin-scopes.ts'

/** What the routes of the admin API are made with. */
export interface AdminRouting {
  /** @param scope - what a named token needs for it */
  route(
    method: 'delete' | 'get' | 'patch' | 'post' | 'put',
    path: string,
    scope: RouteScope,
    handle: (ctx: Context) => Promise<void>,
  ): void
  /** That of `:domain`, which may be changed where the request does. @throws AdminError `instance_not_found`, `instance_held` */
  instanceOf(ctx: Context): Promise<Instance>
  /** The same, also while it is exported or imported. @throws AdminError `instance_not_found` */
  anyInstanceOf(ctx: Context): Promise<Instance>
}

/** Letters and digits of which no two look alike: a passphrase may be told by telephone. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'

/** As many lines as an import may have, of a kilobyte each. */
const MAX_IMPORT_BYTES = 100_000_000

/** What an operator does for the owner of an instance: links, codes, and a passphrase for one who lost it. */
export function addOwnerRoutes(
  { route, instanceOf }: Pick<AdminRouting, 'instanceOf' | 'route'>,
  app: HostServices,
): void {
  const { owners } = app.ui

  const imports = new Jobs<ImportedOwners>()

  route('post', '/owners/imports', 'instances:create', async (ctx) => {
    const dryRun = isAsked(ctx, 'dry_run')
    const lines = await readLines(ctx.req)
    ctx.status = 202
    ctx.body = { import: imports.begin(importOwners(app, lines, { dryRun })) }
  })

  route('get', '/owners/imports/:import', 'instances:create', async (ctx) => {
    const job = imports.get(String(ctx['params'].import))
    if (job === undefined) throw new AdminError('import_not_found', 404)
    if (job.state === 'failed') throw job.error
    const isShown = job.state === 'running' || mayAlso(ctx, 'owners:onboard')
    ctx.body = isShown ? job : { ...job, result: withoutOldLinks(job.result) }
  })

  route('post', '/instances/:domain/onboarding-link', 'owners:onboard', async (ctx) => {
    ctx.body = { onboardingUrl: await owners.createOnboardingUrl(await instanceOf(ctx)) }
  })

  route('post', '/instances/:domain/reset-passphrase', 'owners:enter', async (ctx) => {
    const { passphrase } = checkBody('resetPassphrase', ctx.request.body ?? {})
    const instance = await instanceOf(ctx)
    const isChosen = typeof passphrase === 'string'
    const next = isChosen ? passphrase : randomPassphrase()
    await owners.resetPassphrase(instance, next)
    ctx.body = { domain: instance.domain, ...(!isChosen && { passphrase: next }) }
  })

  route('post', '/instances/:domain/session-code', 'owners:enter', async (ctx) => {
    ctx.status = 201
    ctx.body = { session_code: await owners.createSessionCode(await instanceOf(ctx)) }
  })

  route('post', '/instances/:domain/magic-code', 'owners:enter', async (ctx) => {
    const { code, url } = await owners.createMagicLinkCode(await instanceOf(ctx))
    ctx.status = 201
    ctx.body = { magic_code: code, url }
  })

  route('post', '/instances/:domain/email-verified-code', 'owners:enter', async (ctx) => {
    const code = await owners.createEmailVerifiedCode(await instanceOf(ctx))
    ctx.status = 201
    ctx.body = { email_verified_code: code }
  })
}

/** A token that makes instances gets the links of those it made: links of others are `owners:onboard`. */
function withoutOldLinks(imported: ImportedOwners): ImportedOwners {
  const owners = imported.owners.map((owner) => {
    const { line, externalId, domain, state } = owner
    return state === 'created' ? owner : { line, externalId, domain, state }
  })
  return { ...imported, owners }
}

/** @throws AdminError `invalid_request` (413) */
async function readLines(request: IncomingMessage): Promise<string[]> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_IMPORT_BYTES) {
      throw new AdminError('invalid_request', 413, 'the body has more than 100 MB')
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString().split('\n')
}

/** Four groups of four characters, 79 bits. */
function randomPassphrase(): string {
  const group = (): string =>
    Array.from({ length: 4 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}

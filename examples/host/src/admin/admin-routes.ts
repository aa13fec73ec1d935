import { holdOf, type Instance, type InstanceUpdate, type NewInstance } from '@svc/platform'
import type { Store } from '@svc/store'
import type { Context, Middleware } from 'koa'
import Router from 'koa-router'
import type { HostServices } from '../services.ts'
import type { Config } from '../config/config.ts'
import type { HostEventLog } from '../log/log.ts'
import { createInstance } from '../create-instance.ts'
import { isPhoneNumber } from '../notifications/owner-phone.ts'
import { checkBody } from './admin.schema.ts'
import { AdminError } from './admin-error.ts'
import { requireScope } from './admin-bearer.ts'
import type { AdminToken } from './admin-token.ts'
import type { NamedTokens } from './named-tokens.ts'
import { clientToWire, instanceToWire, mailToWire } from './admin-wire.ts'
import { addAccountRoutes } from './account-routes.ts'
import { addAccountTypeRoutes } from './account-type-routes.ts'
import { addActivityRoutes } from './activity-routes.ts'
import { addAssistantRoutes } from './assistant-routes.ts'
import { addBackupRoutes } from './backup-routes.ts'
import { addClientRoutes } from './client-routes.ts'
import { addDoctorRoutes } from './doctor-routes.ts'
import { addKeyRoutes } from './key-routes.ts'
import { addKonnectorRoutes } from './konnector-routes.ts'
import { addUsageRoutes, changedSettings } from './usage-routes.ts'
import { addNamedTokenRoutes } from './named-token-routes.ts'
import { addNotificationRoutes } from './notification-routes.ts'
import { addOwnerRoutes, type AdminRouting } from './owner-routes.ts'
import { addStatusRoutes } from './status-routes.ts'
import { addTransferRoutes } from './transfer-routes.ts'

/** Every admin endpoint. `:domain` is a domain or an alias. */
export function adminRouter(
  app: HostServices,
  config: Config,
  {
    token,
    named,
    log,
    store,
  }: {
    readonly token: AdminToken
    readonly named: NamedTokens
    readonly log: HostEventLog
    readonly store: Store
  },
): Middleware {
  const { oauth, ui, apps, phones, mailbox, metrics } = app
  const { instances, clients, appTokens, clock } = oauth
  const router = new Router({ sensitive: true, strict: true })
  let koaBody: ((ctx: never, next: () => Promise<unknown>) => Promise<unknown>) | undefined

  /** Loaded with the first body: an idle server does without the library. */
  async function readBody(ctx: unknown, next: () => Promise<unknown>): Promise<void> {
    const options = { json: true, text: false, urlencoded: false, jsonLimit: '64kb' }
    koaBody ??= (await import('koa-body')).koaBody(options)
    await koaBody(ctx as never, next) // The types of koa-body are of Koa 2; the context is the same object.
  }

  const route: AdminRouting['route'] = (method, path, scope, handle) => {
    // The types of koa-router are of Koa 2; the context is the same object.
    const handler = (ctx: unknown): Promise<void> => handle(ctx as Context)
    const guard = requireScope(scope, `${method.toUpperCase()} ${path}`)
    if (method === 'get' || method === 'delete') router[method](path, guard as never, handler)
    else router[method](path, guard as never, readBody as never, handler)
  }

  async function instanceOf(ctx: Context): Promise<Instance> {
    const instance = await anyInstanceOf(ctx)
    if (ctx.method === 'GET' || holdOf(instance, clock.now()) === undefined) return instance
    throw new AdminError('instance_held', 409, 'the instance is frozen, or being imported')
  }

  async function anyInstanceOf(ctx: Context): Promise<Instance> {
    const instance = await instances.byHost(String(ctx['params'].domain).toLowerCase())
    if (instance === undefined) throw new AdminError('instance_not_found', 404)
    return instance
  }

  async function describe(instance: Instance): Promise<Record<string, unknown>> {
    const { owners } = ui
    return instanceToWire(
      instance,
      await owners.isOnboarded(instance),
      await owners.access(instance),
      await phones.phone(instance),
    )
  }

  route('get', '/health', 'server:read', async (ctx) => {
    ctx.body = { status: 'up', version: 1, store: config.store === 'sqlite' ? 'sqlite' : 'redis' }
  })

  route('get', '/metrics', 'server:read', async (ctx) => {
    const { type, text } = await metrics.render()
    ctx.type = type
    ctx.body = text
  })

  addStatusRoutes({ route }, app)

  route('get', '/instances', 'instances:read', async (ctx) => {
    const cursor = ctx.query['cursor']
    const page = await instances.list(typeof cursor === 'string' ? { cursor } : {})
    ctx.body = {
      instances: await Promise.all(page.instances.map(describe)),
      ...(page.cursor !== undefined && { cursor: page.cursor }),
    }
  })

  route('post', '/instances', 'instances:create', async (ctx) => {
    const { passphrase, magic_link, ...input } = checkBody('createInstance', ctx.request.body)
    const magicLink = magic_link === true
    if (magicLink && passphrase === undefined && input['email'] === undefined) {
      throw new AdminError('invalid_request', 400, 'magic links need a mail address')
    }
    const { instance, onboardingUrl } = await createInstance(
      app,
      input as unknown as NewInstance, // the schema has the same members
      passphrase as string | undefined, // text by the schema
      { magicLink },
    )
    ctx.status = 201
    ctx.body = {
      ...(await describe(instance)),
      ...(onboardingUrl !== undefined && { onboardingUrl }),
    }
  })

  route('get', '/instances/:domain', 'instances:read', async (ctx) => {
    ctx.body = await describe(await instanceOf(ctx))
  })

  route('patch', '/instances/:domain', 'instances:update', async (ctx) => {
    const instance = await instanceOf(ctx)
    const { oauthClientsMax, diskQuota, blocked, auth_mode, magic_link, phone, ...rest } =
      checkBody('updateInstance', ctx.request.body)
    const email = rest['email'] === undefined ? instance.email : rest['email']
    if ((auth_mode === 'two_factor_mail' || magic_link === true) && typeof email !== 'string') {
      throw new AdminError('invalid_request', 400, 'the instance has no mail address')
    }
    if (typeof phone === 'string' && !isPhoneNumber(phone)) {
      throw new AdminError('invalid_request', 400, 'phone: is no international number')
    }
    const update: InstanceUpdate = {
      ...(rest as InstanceUpdate), // the schema has the same members
      ...(blocked !== undefined && { status: blocked === true ? 'blocked' : 'active' }),
      settings: changedSettings(instance.settings, { oauthClientsMax, diskQuota }),
    }
    const updated = await ui.owners.updateInstance(instance, update)
    await app.devPages.noteHosts(updated.aliases)
    if (typeof phone === 'string') await phones.setPhone(updated, phone)
    if (phone === null) await phones.setPhone(updated)
    if (typeof magic_link === 'boolean') await ui.owners.setMagicLink(updated, magic_link)
    if (auth_mode === 'basic' || auth_mode === 'two_factor_mail') {
      await ui.owners.setAuthMode(updated, auth_mode)
    }
    ctx.body = await describe(updated)
  })

  route('delete', '/instances/:domain', 'instances:delete', async (ctx) => {
    await instances.remove((await anyInstanceOf(ctx)).id)
    ctx.status = 204
  })

  addDoctorRoutes({ route }, app, config)
  addOwnerRoutes({ route, instanceOf }, app)

  route('get', '/instances/:domain/apps', 'apps:read', async (ctx) => {
    ctx.body = { apps: await apps.listInstalled(await instanceOf(ctx)) }
  })

  route('post', '/instances/:domain/apps', 'apps:write', async (ctx) => {
    const { app: slugOrFolder } = checkBody('installApp', ctx.request.body)
    const instance = await instanceOf(ctx)
    ctx.status = 201
    ctx.body = await apps.install(instance, String(slugOrFolder))
  })

  route('delete', '/instances/:domain/apps/:slug', 'apps:write', async (ctx) => {
    const instance = await instanceOf(ctx)
    if (!(await apps.uninstall(instance, String(ctx['params'].slug)))) {
      throw new AdminError('app_not_found', 404)
    }
    ctx.status = 204
  })

  route('post', '/instances/:domain/app-tokens', 'tokens:create', async (ctx) => {
    const { slug } = checkBody('appToken', ctx.request.body)
    const instance = await instanceOf(ctx)
    const manifest = await apps.installed(instance, String(slug))
    if (manifest === undefined) throw new AdminError('app_not_found', 404)
    const { session, cookie } = await ui.owners.createSession(instance)
    ctx.status = 201
    ctx.body = {
      token: await appTokens.issue(instance, manifest, session.id),
      cookie: `${cookie.name}=${cookie.value}`,
    }
  })

  addClientRoutes({ route, instanceOf }, clients)
  addAssistantRoutes({ route, instanceOf }, oauth.assistants)
  addKonnectorRoutes({ route, instanceOf }, app)
  addKeyRoutes({ route, instanceOf, anyInstanceOf }, app, token)
  addNamedTokenRoutes({ route }, named, log)
  addAccountTypeRoutes(route, app.accounts.connectors)
  addAccountRoutes({ route, instanceOf }, app)
  addNotificationRoutes({ route, instanceOf }, app)
  addUsageRoutes({ route, instanceOf }, app.quota)
  addActivityRoutes({ route, instanceOf }, app)
  addTransferRoutes({ route, anyInstanceOf }, { app, config, log })
  addBackupRoutes({ route }, app, store)

  route('get', '/instances/:domain/clients', 'clients:read', async (ctx) => {
    const instance = await instanceOf(ctx)
    const cursor = ctx.query['cursor']
    const page = await clients.list(instance, typeof cursor === 'string' ? { cursor } : {})
    ctx.body = {
      clients: page.clients.map(clientToWire),
      ...(page.cursor !== undefined && { cursor: page.cursor }),
    }
  })

  route('get', '/instances/:domain/clients/:id', 'clients:read', async (ctx) => {
    const instance = await instanceOf(ctx)
    const client = await clients.get(instance, String(ctx['params'].id))
    if (client === undefined) throw new AdminError('client_not_found', 404)
    ctx.body = { ...clientToWire(client), scopes: await clients.scopes(instance, client.id) }
  })

  route('delete', '/instances/:domain/clients/:id', 'clients:revoke', async (ctx) => {
    const instance = await instanceOf(ctx)
    if (!(await clients.revoke(instance, String(ctx['params'].id), 'operator'))) {
      throw new AdminError('client_not_found', 404)
    }
    ctx.status = 204
  })

  route('get', '/instances/:domain/mails', 'mails:read', async (ctx) => {
    if (mailbox === undefined) {
      throw new AdminError('no_mailbox', 404, 'mails are sent by SMTP: there is no mailbox here')
    }
    ctx.body = { mails: (await mailbox.list(await instanceOf(ctx))).map(mailToWire) }
  })

  return router.routes() as unknown as Middleware // the types of koa-router are of Koa 2
}

import {
  type BodyRule,
  type Instance,
  requirement,
  type RouteAuth,
  type RouteContext,
} from '@svc/platform'
import type { AccessContext } from '../access/access-context.ts'
import { authenticate } from '../access/access.ts'
import { type ClientMetadata, isPublic, isUnnamed } from '../clients/client.ts'
import { claimName, freeClaim, type NameClaim, releaseName } from '../clients/client-names.ts'
import { toWire } from '../clients/client-record.ts'
import type { EngineClient } from '../clients/client-store.ts'
import { checkLinkedApp } from '../clients/linked-apps.ts'
import { type EngineAnswer, registerNatively } from '../engine/native-registration.ts'
import { ERRORS, OAuthError, type OAuthErrorCode } from '../errors.ts'
import type { OAuthServices } from '../services.ts'
import { invalidToken } from '../tokens/bearer.ts'
import {
  asksForNoSecret,
  pickMembers,
  readNewMetadata,
  readPublicMetadata,
} from './client-metadata.ts'
import { keepRoom, requireRoom } from './client-room.ts'

/** How the registration endpoints take their bodies. */
export const CLIENT_BODY: Omit<BodyRule, 'schema'> = {
  types: ['json'],
  wrongType: { status: 400, code: 'bad_content_type' },
  refuse: () =>
    new OAuthError('invalid_request', { description: 'the body must be a JSON object' }),
}

/** What writes clients is counted before anything is looked at (oauth.md 3.1). */
export const CLIENT_LIMIT = [
  { bucket: 'oauth-client', inRule: 'every request, before anything of it is looked at' },
] as const

/** Anybody may register a client who is within the limit and speaks JSON. @see oauth.md 3.1 */
export const allowRegistration: RouteAuth<Pick<OAuthServices, 'limits'>> = requirement(
  ['none'],
  async function allowRegistration(ctx, { limits }) {
    await limits.hit(ctx.state.instance, 'oauth-client')
    requireJson(ctx)
  },
)

/** SPEC: oauth.md 3.3 - whatever is not a live token of the settings app is the same 403. */
export const requireSettingsApp: RouteAuth<OAuthServices> = requirement(
  ['settings app token'],
  async function requireSettingsApp(ctx, services) {
    let access: AccessContext | undefined
    try {
      access = await authenticate(ctx, services)
    } catch (error) {
      if (!OAuthError.is(error) || error.status !== 401) throw error
    }
    if (access?.kind !== 'app' || access.app?.slug !== 'settings') throw new OAuthError('forbidden')
    ctx.state['access'] = access
    await services.limits.hit(ctx.state.instance, 'oauth-client')
    requireJson(ctx)
  },
)

/** `POST /auth/register`. @see oauth.md 3.1; assistants.md 3.8; RFC 7591 */
export async function registerClient(ctx: RouteContext, services: OAuthServices): Promise<void> {
  const { instance, body } = ctx.state
  const members = pickMembers(body)
  await register(
    ctx,
    services,
    isOpenToPublic(services) && asksForNoSecret(body, members)
      ? readPublicMetadata(members, {}, instance)
      : readNewMetadata(members, instance),
  )
}

/** `POST /auth/registerFromWebApp`. @see oauth.md 3.3 */
export async function registerFromWebApp(
  ctx: RouteContext,
  services: OAuthServices,
): Promise<void> {
  const { instance, body } = ctx.state
  await register(ctx, services, readNewMetadata(pickMembers(body), instance))
}

/** Without resources for such clients, and where the operator wants none, every client needs a secret. */
function isOpenToPublic({ options, resources }: OAuthServices): boolean {
  return resources.open !== undefined && options.assistants.registration
}

/** A client that was just stored. */
interface Registered extends EngineClient {
  readonly id: string
  /** Its registration access token. */
  readonly token: string
}

/** Stores a client under a name of its own; it is pending. */
export async function storeClient(
  services: OAuthServices,
  instance: Instance,
  asked: ClientMetadata,
): Promise<Registered> {
  const { answer, ready } = await storeNew(services, instance, asked)
  const { client_id: id, registration_access_token: token } = answer.body ?? {}
  if (answer.status !== 201 || typeof id !== 'string' || typeof token !== 'string') {
    throw engineError(answer)
  }
  if (ready === undefined) throw new OAuthError('internal_error', { detail: 'nothing was stored' })
  return { ...ready, id, token }
}

async function register(
  ctx: RouteContext,
  services: OAuthServices,
  asked: ClientMetadata,
): Promise<void> {
  const { apps, emitter, log } = services
  const { instance } = ctx.state
  const isOpen = isPublic({ metadata: asked })
  if (!isOpen) await checkLinkedApp(asked.software_id, instance, apps)
  await requireRoom(services, instance, isOpen)
  const { id, token, client, secret } = await storeClient(services, instance, asked)
  if (isOpen) await keepRoom(services, instance)
  emitter.emit('client.created', { instance, client })
  log.info('client.registered', {
    domain: instance.domain,
    clientId: id,
    ...(isOpen ? { public: true } : { softwareId: client.metadata.software_id }),
    address: services.clientAddress(ctx),
  })
  ctx.status = 201
  ctx.body = toWire(instance, client, secret, token)
}

interface Stored {
  readonly answer: EngineAnswer
  /** Absent: the engine refused it. */
  readonly ready: EngineClient | undefined
}

/** Most names are nobody's: then one write stores the client with its name. @see docs/decisions/0662 */
async function storeNew(
  services: OAuthServices,
  instance: Instance,
  asked: ClientMetadata,
): Promise<Stored> {
  // However many have none.
  if (isUnnamed(asked)) return storeAs(services, instance, asked)
  const free = await freeClaim(services, instance.id, asked.client_name)
  const first = free === undefined ? undefined : await storeAs(services, instance, asked, free)
  // Somebody else took the name meanwhile.
  if (first !== undefined && first.answer.status !== CONFLICT) return first
  const name = await claimName(services, instance.id, asked.client_name)
  if (name === undefined) throw new TypeError('a new client has no name of its own')
  const stored = await storeAs(services, instance, asked, name)
  if (stored.answer.status !== 201) await releaseName(services, instance.id, name)
  return stored
}

async function storeAs(
  services: OAuthServices,
  instance: Instance,
  asked: ClientMetadata,
  name?: NameClaim,
): Promise<Stored> {
  const { clients, engine } = services
  const metadata = name === undefined ? asked : { ...asked, client_name: name.name }
  let ready: EngineClient | undefined
  const onReady = (given: EngineClient): void => {
    ready = given
  }
  // A wake-up for a client that is not stored in the end finds nobody, and does nothing.
  const schedule = (): Promise<void> => clients.pendingChecks.schedule(instance)
  const claimed = name === undefined ? {} : { name }
  const answer = await clients.storing({ metadata, onReady, ...claimed }, () =>
    registerNatively(engine, instance, { ...metadata }, schedule),
  )
  return { answer, ready }
}

/** What the engine's answer says when a condition of the write did not hold. */
const CONFLICT = 409

/** SPEC: oauth.md 3.1 - the two header errors have codes of their own. */
export function requireJson(ctx: RouteContext): void {
  const type = ctx.get('Content-Type').trim().toLowerCase()
  if (!type.startsWith('application/json')) throw new OAuthError('bad_content_type')
  if (ctx.accepts('application/json') === false) throw new OAuthError('bad_accept_header')
}

/** What the engine refused, as one of our errors. Its words are logged only: our own checks come first. */
export function engineError({ status, body }: EngineAnswer): OAuthError {
  const { error: code, error_description: description } = body ?? {}
  const detail = `the engine answered ${status} ${String(code)}: ${String(description)}`
  if (status === 401) return invalidToken(detail)
  const isOurs = typeof code === 'string' && Object.hasOwn(ERRORS, code)
  if (status < 400 || status >= 500 || !isOurs) return new OAuthError('internal_error', { detail })
  return new OAuthError(code as OAuthErrorCode, { detail }) // In the table.
}

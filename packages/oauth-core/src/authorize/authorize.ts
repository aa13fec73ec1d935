import { prefersJson, type RouteContext, viewOf, withoutParameters } from '@svc/platform'
import type { Change } from '@svc/store'
import { whileAllowed } from '../assistants/preferences.ts'
import { clientTarget, isCertified, isPublic, isPublicRegistration } from '../clients/client.ts'
import { revokeGrant } from '../engine/grant.ts'
import { type CodeRequest, mintCode } from '../engine/mint.ts'
import { OAuthError } from '../errors.ts'
import type { OwnerSession } from '../ports.ts'
import { scheduleEnding } from '../registration/access-endings.ts'
import { byOwner } from '../registration/activity-source.ts'
import { settleName } from '../registration/change-client.ts'
import { scheduleAllowedCheck, scheduleDescribedCheck } from '../registration/end-client.ts'
import { type OAuthServices, pagesOf, sessionOf, sessionsOf } from '../services.ts'
import { allowClient } from './allow-client.ts'
import { refuseUnlessAllowed } from './assistants-allowed.ts'
import { isRefusal, noteAllowed, refuseAssistant, rememberedOf } from './assistant-answer.ts'
import { findChoice } from './assistant-choice.ts'
import { assistantView } from './assistant-view.ts'
import type { AuthorizeDraft, AuthorizeRequest } from './authorize-request.ts'
import { checkAuthorize, checkBeforeDocument } from './checks.ts'
import { type ChoiceRules, type ConsentAnswer, readConsentAnswer } from './consent-choice.ts'
import { checkConsent, markOf, sealConsent } from './consent-seal.ts'
import { consentView } from './consent-view.ts'
import { findDescribed, isDescribed, keepDescribed } from './described-client.ts'
import { tellFault } from './faults.ts'
import {
  isLookedAt,
  showCertify,
  showsDeprecated,
  showsLimit,
  withinLimit,
} from './interstitials.ts'
import {
  type LiveAccess,
  readLiveAccess,
  readShownAccess,
  supersededGrants,
  whileUnchanged,
} from './live-access.ts'
import { authorizeError, notCertified } from './page-texts.ts'
import { grantedLocation, isOutOfBand, leaveTo } from './redirect.ts'

// The authorization endpoint. @see oauth.md 5.1 to 5.3, 5.7, 5.8; decisions D8, D24, D42

/** `GET /auth/authorize`: asks the owner whether a client may have what it asks for. */
export async function showConsent(ctx: RouteContext, services: OAuthServices): Promise<void> {
  const { instance, query } = ctx.state
  if (await redeemSessionCode(ctx, services)) return
  const draft: AuthorizeDraft = { ctx, instance, parameters: query }
  const request = await readRequest(draft, services)
  if (request === undefined) return
  if (await showsDeprecated(ctx, services, request)) return
  const session = await sessionOf(ctx, services)
  if (session === undefined) return pagesOf(services).login(ctx)
  await refuseUnlessAllowed(services, instance, request)
  if (!mayHave(services, request)) return showCertify(ctx, services, request)
  if (await showsLimit(ctx, services, request)) return
  await ask(ctx, services, request, session)
}

/** `POST /auth/authorize`: gives the client a code for what the owner allowed. */
export async function answerConsent(ctx: RouteContext, services: OAuthServices): Promise<void> {
  const { instance, form } = ctx.state
  const draft: AuthorizeDraft = { ctx, instance, parameters: form }
  const request = await readRequest(draft, services)
  if (request === undefined) return
  const session = await sessionOf(ctx, services)
  if (session === undefined) throw new OAuthError('not_authenticated')
  await refuseUnlessAllowed(services, instance, request)
  if (await showsDeprecated(ctx, services, request)) return
  if (!mayHave(services, request)) throw notCertified()
  if (isRefusal(form, request)) return refuseAssistant(ctx, services, request)
  const live = await readLiveAccess(services, request)
  const sealed = form.get('consent')
  if (sealed !== undefined) checkConsent(services, sealed, request, session, live)
  const answer = readConsentAnswer(form, request, {
    ...rulesOf(services),
    namespace: services.namespace,
    isAllowed: live.isAllowed,
  })
  if (await showsLimit(ctx, services, request)) return
  if (answer.request.scope === '') {
    if (prefersJson(ctx)) throw authorizeError('nothingChosen')
    ctx.status = 400
    await ask(ctx, services, request, session, answer)
    return
  }
  const code = await withinLimit(ctx, services, request, () =>
    grant(ctx, services, { request, answer, live, sealed, session }),
  )
  if (code === undefined) return
  if (isOutOfBand(request.redirectUri)) {
    await pagesOf(services).outOfBand(ctx, { code, state: request.state })
    return
  }
  leaveTo(ctx, grantedLocation(request, code))
}

/** The request, checked; undefined when it is answered: the owner has to log in first, or its client is told of a fault. */
async function readRequest(
  draft: AuthorizeDraft,
  services: OAuthServices,
): Promise<AuthorizeRequest | undefined> {
  try {
    if (!(await describeClient(draft, services))) return await checkAuthorize(draft, services)
    if (draft.ctx.method === 'POST') throw new OAuthError('not_authenticated')
    await pagesOf(services).login(draft.ctx)
  } catch (error) {
    if (!(await tellFault(draft, services, error))) throw error
  }
  return undefined
}

/**
 * SPEC: assistants.md 2.2 - nobody who is not logged in makes the server call anybody.
 * @returns true when the owner has to log in first
 */
async function describeClient(draft: AuthorizeDraft, services: OAuthServices): Promise<boolean> {
  if (!isDescribed(draft, services)) return false
  await checkBeforeDocument(draft, services)
  if ((await sessionOf(draft.ctx, services)) === undefined) return true
  Object.assign(draft, await findDescribed(services, draft.instance, draft.parameters))
  return false
}

async function ask(
  ctx: RouteContext,
  services: OAuthServices,
  request: AuthorizeRequest,
  session: OwnerSession,
  answer?: ConsentAnswer,
): Promise<void> {
  const live = await readShownAccess(services, request)
  const sealed = sealConsent(services, request, session, live)
  const again = answer && {
    again: { problem: 'nothing_chosen' as const, duration: answer.duration },
  }
  const rules = rulesOf(services)
  await noteSeen(ctx, services, request)
  const view = consentView(request, { ...rules, live, sealed, ...again })
  const { resource, checkedAt } = request
  const pages = pagesOf(services)
  // SPEC: assistants.md 5.1 - nothing that the client sends chooses the page.
  if (resource === undefined) return pages.consent(ctx, view)
  const choice = await findChoice(services, request)
  const known = { ...rules, live, choice, checkedAt }
  // Who has resources has this page: `createOAuth` sees to it.
  await pages.assistant?.(ctx, assistantView(view, resource, known))
}

/** SPEC: D91 - what its owner looks at is not displaced by what others register. */
async function noteSeen(
  ctx: RouteContext,
  { clients }: Pick<OAuthServices, 'clients'>,
  { instance, client }: AuthorizeRequest,
): Promise<void> {
  const isNews = client.pending && client.isSeen !== true && isPublicRegistration(client)
  if (!isNews || !isLookedAt(ctx)) return
  const seen = await clients.change(instance, client.id, () => ({ isSeen: true }))
  if (seen === undefined) throw authorizeError('clientUnknown')
}

function rulesOf({ options }: Pick<OAuthServices, 'options'>): ChoiceRules {
  return { choose: options.consent.choose, maxDuration: options.assistants.maxDuration }
}

/** SPEC: oauth.md 5.5 - everything is for certified clients. */
function mayHave(
  { flagship }: Pick<OAuthServices, 'flagship'>,
  { client, scope }: AuthorizeRequest,
): boolean {
  return scope !== '*' || isCertified(client, flagship)
}

/** SPEC: oauth.md 5.1 step 2 - used up whatever else is wrong with the request; a HEAD uses nothing up. */
async function redeemSessionCode(
  ctx: RouteContext,
  services: Pick<OAuthServices, 'clientAddress' | 'given'>,
): Promise<boolean> {
  const code = ctx.state.query.get('session_code')
  if (code === undefined || ctx.method !== 'GET') return false
  const request = viewOf(ctx, services.clientAddress)
  const redeemed = await sessionsOf(services).redeem?.(request, code)
  if (redeemed === undefined) return false
  for (const cookie of redeemed.setCookie) ctx.append('Set-Cookie', cookie)
  const address = `${ctx.state.instance.origin}${ctx.path}?${ctx.querystring}`
  ctx.status = 302
  ctx.set('Location', withoutParameters(address, ['session_code']))
  ctx.type = 'text/plain; charset=utf-8'
  ctx.body = 'Redirecting.'
  return true
}

/** What a code is given for. */
interface Answered {
  readonly request: AuthorizeRequest
  readonly answer: ConsentAnswer
  readonly live: LiveAccess
  /** What the page showed; absent: a form without a page. */
  readonly sealed: string | undefined
  readonly session: OwnerSession
}

async function grant(
  ctx: RouteContext,
  services: OAuthServices,
  answered: Answered,
): Promise<string> {
  const { request, answer, live, sealed } = answered
  const { engine, emitter, log } = services
  const { instance, redirectUri, scope, codeChallenge, resource } = answer.request
  const assistant = await rememberedOf(services, answer, live)
  const endsAt = endOf(answer, services.clock.now())
  const userAgent = ctx.get('User-Agent')
  const seen = { userAgent, redirectUri, withinLimit: true, shown: request.client }
  await keepDescribed(services, instance, request.client)
  const client = await allowClient(services, instance, request.client.id, seen)
  if (endsAt !== undefined && resource === undefined)
    await scheduleEnding(services, instance, client.id, endsAt)
  // By the names that the page showed.
  const target = clientTarget(request.client)
  const code = await mintUnchanged(services, answered, (unchanged) => ({
    client,
    redirectUri,
    scope,
    ...(resource === undefined ? {} : { resource: resource.path }),
    ...(codeChallenge === undefined ? {} : { codeChallenge }),
    ...(endsAt === undefined ? {} : { endsAt }),
    also: [
      unchanged,
      ...(resource === undefined ? [] : [whileAllowed(instance)]),
      ...services.activity.pending(instance, {
        ...byOwner(ctx, services),
        event: assistant === undefined ? 'consent.given' : 'assistant.allowed',
        target,
        detail: { scope },
        ...(endsAt === undefined ? {} : { until: endsAt }),
      }),
      ...(assistant === undefined ? [] : [assistant.remember]),
    ],
  }))
  if (client.document !== undefined) await scheduleDescribedCheck(services, instance, client.id)
  else if (isPublic(client)) await scheduleAllowedCheck(services, instance, client.id)
  const reduced = () =>
    services.activity.pending(instance, {
      ...byOwner(ctx, services),
      event: 'rights.reduced',
      target,
    })
  if (request.client.formerName !== undefined) await settleName(services, instance, client)
  // The owner took rights away once, from however many grants.
  let isNoted = false
  const mark = sealed === undefined ? undefined : markOf(sealed)
  for (const { id } of supersededGrants(answer, live, endsAt)) {
    const note: readonly Change[] = isNoted ? [] : reduced()
    if (await revokeGrant(engine, instance, id, 'narrowed', note, mark)) isNoted = true
  }
  if (request.app !== undefined) services.engine.linkedApps.startInstall(instance, request.app.slug)
  const address = services.clientAddress(ctx)
  const given = { scope, address, ...(endsAt === undefined ? {} : { endsAt }) }
  emitter.emit('code.created', { instance, client, ...given })
  if (assistant === undefined) {
    log.info('consent.given', { domain: instance.domain, clientId: client.id, ...given })
  } else noteAllowed(services, instance, { ...given, ...assistant, client, userAgent })
  return code
}

/**
 * Makes the code while nothing of the client's access is changed or ended. When it was in this very moment, the page is
 * held against what is left.
 */
async function mintUnchanged(
  services: OAuthServices,
  { request, sealed, session, ...answered }: Answered,
  codeOf: (unchanged: Change) => CodeRequest,
): Promise<string> {
  const { instance, client } = request
  let { live } = answered
  for (;;) {
    try {
      const unchanged = whileUnchanged(instance, client.id, live)
      return await mintCode(services.engine, instance, codeOf(unchanged))
    } catch (error) {
      const now = await readLiveAccess(services, request)
      const isChanged = now.changed?.revision !== live.changed?.revision
      if (!OAuthError.is(error, 'invalid_client') || !isChanged) throw error
      if (sealed !== undefined) checkConsent(services, sealed, request, session, now)
      live = now
    }
  }
}

/** A whole second, as tokens carry it, and never later than the owner allowed. */
function endOf({ lifeMs }: ConsentAnswer, now: number): number | undefined {
  return lifeMs === undefined ? undefined : Math.floor((now + lifeMs) / 1000) * 1000
}

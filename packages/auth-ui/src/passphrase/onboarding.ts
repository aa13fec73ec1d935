import { refuseBody, requireWellFormed } from '../web/posted.ts'
import {
  defineRoute,
  type Instance,
  isHttpError,
  provedInHandler,
  type Route,
  type RouteContext,
} from '@svc/platform'
import type { AuthUiServices } from '../services.ts'
import { answerActivation } from '../login/activation.ts'
import { leadOn, locateTarget, openSession } from '../login/complete-login.ts'
import {
  formActionSources,
  homeTarget,
  parseSlugTarget,
  type RedirectTarget,
} from '../web/redirect-target.ts'
import { AuthUiError } from '../errors.ts'
import { answerJson, redirect } from '../web/answer.ts'
import { acceptsRegisterToken, type Owner } from '../owner/owner.ts'
import type { FormProblem } from '../pages/page-models.ts'
import { DEFAULT_ITERATIONS } from './derive.ts'
import {
  type NewPassphrase,
  type PassphraseFields,
  passphraseProblem,
  readNewPassphrase,
} from './new-passphrase.ts'
import { type PassphraseRule, replacePassphrase } from './change-passphrase.ts'
import { notifyHost } from '../background.ts'
import { NEW_PASSPHRASE_SCHEMA, type OnboardingBody } from './passphrase.schema.ts'

/** What was posted, as a form or as JSON; texts that are absent are empty. */
interface PostedPassphrase {
  readonly registerToken: string
  readonly redirection: string
  readonly fields: PassphraseFields
}

/**
 * The owner, when the token can onboard; wrong ones are counted.
 * @throws AuthUiError `rate_limited`
 */
export async function checkRegisterToken(
  services: AuthUiServices,
  ctx: RouteContext,
  token: string,
): Promise<Owner | undefined> {
  const { instance } = ctx.state
  const address = services.oauth.clientAddress(ctx)
  await services.limits.hit(instance, 'register-guess', address)
  const owner = (await services.owners.get(instance.id))?.owner
  if (owner === undefined || !acceptsRegisterToken(owner, token)) return undefined
  await services.limits.release(instance, 'register-guess', address)
  return owner
}

/** The endpoints of a new owner. @see login.md 5.5 */
export const onboardingRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/auth/passphrase',
    handler: showOnboarding,
    auth: provedInHandler(['code'], 'passphrase/onboarding.ts'),
    limit: [
      {
        bucket: 'register-guess',
        inRule: 'wrong register tokens of an address; asked in checkRegisterToken',
      },
    ],
    statuses: [200, 302, 400, 412, 429],
    family: 'html',
    summary:
      'Shows the form in which a new owner chooses a passphrase. A script of the same origin that asks for JSON gets it as data.',
    source: 'login.md 5.5',
  }),
  defineRoute({
    method: 'POST',
    path: '/settings/passphrase',
    handler: submitOnboarding,
    auth: provedInHandler(['code'], 'passphrase/onboarding.ts'),
    limit: [
      {
        bucket: 'register-guess',
        inRule: 'wrong register tokens of an address; asked in checkRegisterToken',
      },
    ],
    body: { types: ['form', 'json'], schema: NEW_PASSPHRASE_SCHEMA, refuse: refuseBody },
    statuses: [200, 302, 400, 403, 413, 415, 422, 429],
    family: 'html',
    csrf: 'origin',
    activity: ['owner.onboarded', 'login.succeeded'],
    summary: 'Onboards: stores the first passphrase and opens a long session.',
    source: 'login.md 5.5',
  }),
]

async function showOnboarding(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, query } = ctx.state
  if (await isOnboarded(services, ctx)) {
    const session = await services.sessionMiddleware.current(ctx)
    const home = await homeTarget(services, instance)
    return redirect(ctx, await locateTarget(services, ctx, home, session, 'empty'))
  }
  const registerToken = query.text('registerToken')
  if (registerToken === '') return answerActivation(services, ctx)
  const owner = await checkRegisterToken(services, ctx, registerToken)
  if (owner === undefined) return answerActivation(services, ctx, { hasBadToken: true })
  const redirection = query.text('redirection')
  await showForm(services, ctx, owner, { registerToken, redirection, hint: '' })
}

async function submitOnboarding(
  ctx: RouteContext<OnboardingBody>,
  services: AuthUiServices,
): Promise<void> {
  const { instance } = ctx.state
  const posted = readPosted(ctx.state.body ?? {})
  if (await isOnboarded(services, ctx)) throw new AuthUiError('already_onboarded')
  const known = await checkRegisterToken(services, ctx, posted.registerToken)
  if (known === undefined) throw invalidRegisterToken()
  let owner: Owner
  try {
    const { hasher, options } = services
    const { allowRaw } = options.passphrase
    const passphrase = await readNewPassphrase(posted.fields, known.salt, { hasher, allowRaw })
    owner = await onboard(services, instance, posted.registerToken, passphrase)
  } catch (error) {
    const problem = passphraseProblem(error)
    if (problem === undefined || !wantsHtml(ctx)) throw error
    return showRefused(services, ctx, known, posted, { error, problem })
  }
  const target = await targetOf(services, ctx, posted.redirection)
  const session = await openSession(services, ctx, owner, {
    kind: 'long',
    method: 'registration',
    clientRegistration: false,
  })
  const location = await leadOn(services, ctx, target, session)
  if (wantsHtml(ctx)) redirect(ctx, location)
  else answerJson(ctx, { redirect: location })
}

async function isOnboarded(services: AuthUiServices, ctx: RouteContext): Promise<boolean> {
  return (await services.owners.get(ctx.state.instance.id))?.owner.onboardedAt !== undefined
}

/** Where the owner goes afterwards; anything but a known `slug[/path]` is home. */
async function targetOf(
  services: AuthUiServices,
  ctx: RouteContext,
  redirection: string,
): Promise<RedirectTarget> {
  const { instance } = ctx.state
  if (redirection === '') return homeTarget(services, instance)
  return parseSlugTarget(services, instance, redirection).catch((error: unknown) => {
    if (AuthUiError.is(error)) return homeTarget(services, instance)
    throw error
  })
}

async function showRefused(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  posted: PostedPassphrase,
  { error, problem }: { readonly error: unknown; readonly problem: FormProblem },
): Promise<void> {
  if (isHttpError(error)) {
    ctx.status = error.status
    ctx.set({ ...error.headers })
  }
  const { registerToken, redirection, fields } = posted
  // A hint that is the passphrase does not go into a page.
  const hint = problem.code === 'invalid_hint' ? '' : fields.hint
  await showForm(services, ctx, owner, { registerToken, redirection, hint }, problem)
}

async function showForm(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  kept: { registerToken: string; redirection: string; hint: string },
  problem?: FormProblem,
): Promise<void> {
  await services.pages.choosePassphrasePage(ctx, {
    ...kept,
    csrfToken: await services.csrf.token(ctx),
    formActionSources: formActionSources(
      ctx.state.instance,
      await targetOf(services, ctx, kept.redirection),
    ),
    salt: owner.salt,
    iterations: DEFAULT_ITERATIONS,
    ...(problem === undefined ? {} : { problem }),
  })
}

/** SPEC: login.md 5.5 - here a page is what `Accept` names, not what it prefers. */
function wantsHtml(ctx: RouteContext): boolean {
  return ctx.get('Accept').includes('text/html')
}

/**
 * Makes an instance somebody's: first passphrase, new keys, once.
 * @param token - a register token, or undefined on the host's own authority
 * @param access - how the owner logs in, when it is not with the passphrase alone; part of the same write
 * @throws AuthUiError `invalid_token`, `already_onboarded`, `busy`
 * @see login.md 7.1 "onboarding"
 */
export async function onboard(
  services: AuthUiServices,
  instance: Instance,
  token: string | undefined,
  passphrase: NewPassphrase,
  access: Pick<Owner, 'magicLink' | 'passwordDefined'> = {},
): Promise<Owner> {
  const { hint, keys } = passphrase
  const firstOwner: PassphraseRule = (owner, now) => {
    if (owner === undefined) throw invalidRegisterToken()
    if (owner.onboardedAt !== undefined) throw new AuthUiError('already_onboarded')
    if (token !== undefined && !acceptsRegisterToken(owner, token)) throw invalidRegisterToken()
    const { invitation: _spent, ...invited } = owner
    return {
      ...invited,
      ...access,
      ...(hint === undefined ? {} : { hint }),
      ...(keys === undefined ? {} : { keys }),
      registerTokens: [],
      onboardedAt: now,
    }
  }
  const note = services.oauth.activity.pending(instance, {
    event: 'owner.onboarded',
    actor: { kind: token === undefined ? 'operator' : 'owner' },
  })
  const { after } = await replacePassphrase(services, instance, passphrase, firstOwner, {
    also: note,
  })
  services.log.info('owner.onboarded', { domain: instance.domain })
  if (keys !== undefined) {
    await notifyHost(services.log, 'onVaultKeys', () =>
      services.hooks.onVaultKeys?.({ instance, ...keys }),
    )
  }
  await notifyHost(services.log, 'onOnboarded', () => services.hooks.onOnboarded?.({ instance }))
  return after
}

/** One answer for a wrong, a used and a replaced token. */
export function invalidRegisterToken(): AuthUiError {
  return new AuthUiError('invalid_token', { description: 'invalid register token' })
}

/** Lengths are checked later, in bytes, where the form can be shown again. @throws AuthUiError `invalid_parameter` */
export function readPosted(body: OnboardingBody): PostedPassphrase {
  requireWellFormed(body)
  return {
    registerToken: body.register_token ?? '',
    redirection: body.redirection ?? '',
    fields: {
      passphrase: body.passphrase ?? '',
      hint: body.hint ?? '',
      iterations: String(body.iterations ?? ''),
      key: body.key ?? '',
      publicKey: body.public_key ?? '',
      privateKey: body.private_key ?? '',
    },
  }
}

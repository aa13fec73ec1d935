import { RENEW_SCHEMA } from './reset.schema.ts'
import {
  defineRoute,
  isHttpError,
  prefersJson,
  provedInHandler,
  type Route,
  type RouteContext,
} from '@svc/platform'
import type { AuthUiServices } from '../services.ts'
import { rememberDevice } from '../session/known-device.ts'
import { findSettingsApp } from '../web/settings-app.ts'
import { leaveRenewedNotice } from '../login/renewed-notice.ts'
import { clientAddress, describeVisitor, visitorOf } from '../web/visitor.ts'
import { changePassphrase } from './change-passphrase.ts'
import { AuthUiError } from '../errors.ts'
import { answerRedirect } from '../web/answer.ts'
import type { Owner } from '../owner/owner.ts'
import type { FormProblem } from '../pages/page-models.ts'
import { DEFAULT_ITERATIONS } from './derive.ts'
import { passphraseProblem, readNewPassphrase } from './new-passphrase.ts'
import { acceptsResetToken } from './reset-token.ts'

/** What the form keeps when it is shown again. */
interface Kept {
  readonly token: string
  readonly isFromSettings: boolean
  readonly hint: string
}

/** Choosing a new passphrase with the mailed link. @see login.md 5.5 */
export const renewRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/auth/passphrase_renew',
    handler: showRenew,
    auth: provedInHandler(['code'], 'passphrase/reset-token.ts'),
    limit: [{ bucket: 'reset-guess', by: clientAddress, counts: ['invalid_token'] }],
    statuses: [200, 400, 429],
    family: 'html',
    summary:
      'Shows the form in which the owner chooses a new passphrase. A script of the same origin that asks for JSON gets it as data.',
    source: 'login.md 5.5',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/passphrase_renew',
    handler: submitRenew,
    auth: provedInHandler(['code'], 'passphrase/reset-token.ts'),
    limit: [{ bucket: 'reset-guess', by: clientAddress, counts: ['invalid_token'] }],
    body: { types: ['form'], schema: RENEW_SCHEMA },
    statuses: [200, 302, 400, 403, 413, 415, 422, 429],
    family: 'html',
    csrf: 'token',
    activity: 'reset.done',
    summary: 'Stores a new passphrase and ends everything that hangs on the old one.',
    source: 'login.md 5.5, 7.1',
  }),
]

async function showRenew(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { query } = ctx.state
  const token = query.text('token')
  const owner = await ownerOf(services, ctx, token)
  const isFromSettings = query.text('from') === 'settings'
  ctx.status = 200
  await showForm(services, ctx, owner, { token, isFromSettings, hint: '' })
}

/** No session is opened: the second factor still applies to the login that follows. @see login.md 5.5 */
async function submitRenew(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, form } = ctx.state
  const token = form.text('passphrase_reset_token')
  const isFromSettings = form.text('from') === 'settings'
  const owner = await ownerOf(services, ctx, token)
  let changed: Owner
  try {
    const fields = {
      passphrase: form.text('passphrase'),
      hint: form.text('hint'),
      iterations: form.text('iterations'),
      key: form.text('key'),
      publicKey: form.text('public_key'),
      privateKey: form.text('private_key'),
    }
    changed = await changePassphrase(services, instance, {
      how: 'reset',
      passphrase: await readNewPassphrase(fields, owner.salt, {
        hasher: services.hasher,
        allowRaw: services.options.passphrase.allowRaw,
      }),
      keepsHint: false,
      require: (latest) => {
        if (!acceptsResetToken(latest, token, services.clock.now())) {
          throw new AuthUiError('invalid_token')
        }
      },
      facts: await describeVisitor(services, visitorOf(services, ctx)),
    })
  } catch (error) {
    const problem = passphraseProblem(error)
    if (problem === undefined || prefersJson(ctx)) throw error
    if (isHttpError(error)) {
      ctx.status = error.status
      ctx.set({ ...error.headers })
    }
    // A hint that is the passphrase does not go into a page.
    const hint = problem.code === 'invalid_hint' ? '' : form.text('hint')
    return showForm(services, ctx, owner, { token, isFromSettings, hint }, problem)
  }
  await makeKnown(services, ctx, changed)
  await leaveRenewedNotice(services, ctx)
  const settings = isFromSettings ? await findSettingsApp(services, instance) : undefined
  answerRedirect(ctx, settings?.href ?? `${instance.origin}/auth/login`)
}

/** @throws AuthUiError `invalid_token`, the same whatever is wrong */
async function ownerOf(
  { owners, clock }: AuthUiServices,
  ctx: RouteContext,
  token: string,
): Promise<Owner> {
  const owner = (await owners.get(ctx.state.instance.id))?.owner
  const isRight = acceptsResetToken(owner, token, clock.now())
  if (owner === undefined || !isRight) throw new AuthUiError('invalid_token')
  return owner
}

async function showForm(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  { token, isFromSettings, hint }: Kept,
  problem?: FormProblem,
): Promise<void> {
  const settings = isFromSettings ? await findSettingsApp(services, ctx.state.instance) : undefined
  await services.pages.renewPage(ctx, {
    csrfToken: await services.csrf.token(ctx),
    formActionSources: settings === undefined ? [] : [settings.origin],
    salt: owner.salt,
    iterations: DEFAULT_ITERATIONS,
    token,
    from: isFromSettings ? 'settings' : '',
    losesVault: owner.keys !== undefined,
    hint,
    ...(problem === undefined ? {} : { problem }),
  })
}

/** OPEN(0130): who got here reads the owner's mails. The login that follows is not refused for failures of strangers. */
async function makeKnown(services: AuthUiServices, ctx: RouteContext, owner: Owner): Promise<void> {
  try {
    const device = await rememberDevice(services, ctx, owner)
    await services.store.write([device.change])
    device.setCookie()
  } catch (cause) {
    // The passphrase is changed already.
    services.log.warn('passphrase.browser_unknown', { cause: String(cause) })
  }
}

import { noteOwn } from '../web/activity.ts'
import {
  defineRoute,
  type Instance,
  MINUTE_MS,
  provedInHandler,
  type Route,
  type RouteContext,
} from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { locateTarget } from '../login/complete-login.ts'
import {
  changeProfile,
  emailTokenHash,
  findProfile,
  isEmailToken,
  livePending,
  newEmailToken,
  type PendingEmail,
  type Profile,
} from '../owner/profile.ts'
import type { AuthUiServices } from '../services.ts'
import { answerRedirect, redirect } from '../web/answer.ts'
import {
  formActionSources,
  homeTarget,
  parseSlugTarget,
  type RedirectTarget,
} from '../web/redirect-target.ts'
import { clientAddress, describeVisitor, visitorOf } from '../web/visitor.ts'
import { sectionPath } from '../web/settings-app.ts'
import { mailChanged } from './email-mails.ts'
import { askHost, tellHost } from './host-profile.ts'
import type { HostFieldChange } from './host-profile-option.ts'
import { EMAIL_TOKEN_SCHEMA } from './profile.schema.ts'

/** How long one proof keeps others out, should it never end: its process may have died. */
const PROOF_MS = MINUTE_MS
const BY_LINK = provedInHandler(['session cookie', 'code'], 'profile/email-proof.ts')

/** Where the mail to a new address leads. It counts only with the owner's session in that browser. @see owner.md 1.4 */
export const emailProofRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/auth/email',
    handler: showProof,
    auth: BY_LINK,
    limit: [{ bucket: 'email-token', by: clientAddress, counts: ['invalid_token'] }],
    statuses: [200, 302, 400, 429],
    family: 'html',
    summary: 'Shows the button that makes the new mail address count; asks for the login first.',
    source: 'owner.md 1.4',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/email',
    handler: submitProof,
    auth: BY_LINK,
    limit: [{ bucket: 'email-token', by: clientAddress, counts: ['invalid_token'] }],
    body: { types: ['form'], schema: EMAIL_TOKEN_SCHEMA },
    statuses: [200, 302, 400, 401, 403, 413, 415, 429],
    family: 'html',
    csrf: 'token',
    activity: 'email.changed',
    summary: 'Makes the new mail address the one of the owner.',
    source: 'owner.md 1.4, 1.5',
  }),
]

/** A stranger with the link learns nothing of it: the session comes first. */
async function showProof(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, query } = ctx.state
  const token = query.text('token')
  const session = await services.sessionMiddleware.current(ctx)
  if (session === undefined || session.isElsewhere === true) {
    const here = `${instance.origin}/auth/email?token=${encodeURIComponent(token)}`
    return redirect(ctx, `${instance.origin}/auth/login?redirect=${encodeURIComponent(here)}`)
  }
  const { profile, now } = await findProfile(services, instance)
  const { address, canUndo } = requirePending(profile, token, now)
  ctx.status = 200
  await services.pages.emailPage(ctx, {
    csrfToken: await services.csrf.token(ctx),
    formActionSources: formActionSources(instance, await profileTarget(services, instance)),
    kind: 'prove',
    token,
    address,
    ...(instance.email === undefined || !canUndo ? {} : { oldAddress: instance.email }),
  })
}

async function submitProof(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, form } = ctx.state
  const session = await services.sessionMiddleware.current(ctx)
  if (session === undefined || session.isElsewhere === true) {
    throw new AuthUiError('login_required')
  }
  await proveAddress(services, ctx, form.text('token'))
  const target = await profileTarget(services, instance)
  answerRedirect(ctx, await locateTarget(services, ctx, target, session, 'keep'))
}

/**
 * Of parallel proofs one goes on: it tells the old address, then makes the change in one write.
 * @throws AuthUiError `invalid_token`
 */
async function proveAddress(
  services: AuthUiServices,
  ctx: RouteContext,
  token: string,
): Promise<void> {
  const { instance } = ctx.state
  if (services.options.profile.link.email !== undefined) throw new AuthUiError('invalid_token')
  const facts = await describeVisitor(services, visitorOf(services, ctx))
  const undoToken = newEmailToken()
  const undoHash = emailTokenHash(undoToken)
  let wanted: PendingEmail | undefined
  const before = await changeProfile(services, instance, async (found) => {
    const { profile, now } = found
    const pending = requirePending(profile, token, now)
    if ((pending.proof?.until ?? 0) > now) throw new AuthUiError('invalid_token')
    // Before the old address is told of a change that the host refuses.
    await askHost(services, addressChange(found.instance, pending.address))
    wanted = { ...pending, proof: { undoHash, until: now + PROOF_MS } }
    return { profile: { ...profile, emailPending: wanted } }
  })
  if (wanted === undefined) throw new AuthUiError('invalid_token')
  const { address, canUndo } = wanted
  if (before.email !== undefined) {
    const undo = { address, undoToken: canUndo ? undoToken : undefined }
    await mailChanged(services, before, facts, undo)
  }
  const note = noteOwn(services, ctx, { event: 'email.changed' })
  await changeProfile(services, instance, ({ profile, instance: current, now }) => {
    const { emailPending, emailPrevious: _before, ...kept } = profile
    if (emailPending?.proof?.undoHash !== undoHash) throw new AuthUiError('invalid_token')
    return {
      update: { email: address },
      also: note,
      profile: {
        ...kept,
        ...(current.email === undefined
          ? {}
          : {
              emailPrevious: {
                address: current.email,
                undoHash,
                changedAt: now,
                until: now + services.lifetimes.emailUndo,
                canUndo,
              },
            }),
      },
    }
  })
  services.log.info('email.changed', {
    domain: instance.domain,
    address: facts.address,
    undoable: canUndo && before.email !== undefined,
  })
  await tellHost(services, addressChange(before, address))
}

/** The host's view of a change of the address. */
function addressChange(instance: Instance, value: string): HostFieldChange {
  const { email: before } = instance
  return { instance, field: 'email', value, ...(before !== undefined && { before }) }
}

/** @throws AuthUiError `invalid_token`, the same whatever is wrong */
function requirePending(profile: Profile, token: string, now: number): PendingEmail {
  const pending = livePending(profile, now)
  if (pending === undefined || !isEmailToken(pending.tokenHash, token)) {
    throw new AuthUiError('invalid_token')
  }
  return pending
}

/** The profile in the settings; home where there is no such app. */
async function profileTarget(
  services: AuthUiServices,
  instance: Instance,
): Promise<RedirectTarget> {
  const { settingsSlug } = services.options
  const app = await services.apps.installed(instance, settingsSlug)
  if (app === undefined) return homeTarget(services, instance)
  return parseSlugTarget(services, instance, `${settingsSlug}${sectionPath(instance, 'profile')}`)
}

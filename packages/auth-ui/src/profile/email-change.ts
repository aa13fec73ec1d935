import { noteOwn } from '../web/activity.ts'
import { defineRoute, parseAddress, type Route, type RouteContext } from '@svc/platform'
import { isStrongConfirmation } from '../confirm/confirmation.ts'
import { AuthUiError } from '../errors.ts'
import {
  changeProfile,
  emailTokenHash,
  findProfile,
  livePending,
  newEmailToken,
  type PendingEmail,
  requireNotHeld,
} from '../owner/profile.ts'
import type { AuthUiServices } from '../services.ts'
import { confirmationOf, ownerOf } from '../settings/settings-owner.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { refuseBody } from '../web/posted.ts'
import { describeVisitor, visitorOf } from '../web/visitor.ts'
import { mailProof, mailRequested } from './email-mails.ts'
import { requireChangedHere } from './host-profile.ts'
import { answerProfile } from './profile-document.ts'
import { EMAIL_SCHEMA, type EmailBody } from './profile.schema.ts'

const MAILS = { bucket: 'email-change-mail', inRule: 'mails to addresses that nobody proved' }

/** Asking for another mail address. @see owner.md 1.3, 1.4 */
export const emailChangeRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'PUT',
    path: '/settings/profile/email',
    handler: requestChange,
    auth: requireSettingsApp,
    body: { types: ['json'], schema: EMAIL_SCHEMA, refuse: refuseBody },
    limit: [
      { bucket: 'email-change', inRule: 'addresses that could be taken, before the mail' },
      MAILS,
    ],
    statuses: [202, 400, 401, 403, 409, 413, 415, 429],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: 'email.requested',
    summary:
      'Mails a link to a new address; it takes the place of the old one once that is followed.',
    source: 'owner.md 1.3, 1.4',
  }),
  defineRoute({
    method: 'POST',
    path: '/settings/profile/email/resend',
    handler: resend,
    auth: requireSettingsApp,
    limit: [MAILS],
    statuses: [202, 400, 401, 403, 404, 429],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: { none: 'sends the mail of a request that has its entry' },
    summary: 'Mails another link to the new address; the one before is dead.',
    source: 'owner.md 1.1',
  }),
  defineRoute({
    method: 'DELETE',
    path: '/settings/profile/email/pending',
    handler: dropPending,
    auth: requireSettingsApp,
    statuses: [204, 400, 401, 403],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: { none: 'what was asked for had not happened' },
    summary: 'Gives the change up that is under way, if there is one.',
    source: 'owner.md 1.1',
  }),
]

/** The mail first: what fails or stops the server before the write leaves everything as it was. */
async function requestChange(
  ctx: RouteContext<EmailBody>,
  services: AuthUiServices,
): Promise<void> {
  const { instance, body } = ctx.state
  requireChangedHere(services, 'email')
  const { owner, confirmation } = await confirmationOf(services, ctx)
  const { email = '', old_mailbox_lost: isLost = false } = body ?? {}
  if (isLost && !isStrongConfirmation(confirmation, services.clock.now())) {
    throw new AuthUiError('confirmation_required', {
      description:
        'this takes an authenticator app, a passkey or a recovery code that was there 72 hours before',
    })
  }
  const found = await findProfile(services, instance)
  const address = readAddress(email, found.instance.email)
  requireNotHeld(found.profile, found.now)
  await services.limits.hit(instance, 'email-change')
  const token = newEmailToken()
  const facts = await describeVisitor(services, visitorOf(services, ctx))
  try {
    await services.limits.hit(instance, 'email-change-mail')
    await mailProof(services, instance, facts, { address, token })
  } catch (error) {
    // Nothing is kept of it.
    await services.limits.release(instance, 'email-change')
    throw error
  }
  const note = noteOwn(services, ctx, { event: 'email.requested' })
  const changed = await changeProfile(services, instance, ({ profile, now }) => {
    requireNotHeld(profile, now)
    const emailPending: PendingEmail = {
      address,
      tokenHash: emailTokenHash(token),
      requestedAt: now,
      sentAt: now,
      expiresAt: now + services.lifetimes.emailChange,
      sends: 1,
      canUndo: !isLost,
    }
    return { profile: { ...profile, emailPending }, also: note }
  })
  mailRequested(services, changed, facts, address)
  services.log.info('email.change_requested', {
    domain: instance.domain,
    address: facts.address,
    undoable: !isLost,
  })
  await answerProfile(ctx, services, owner, await findProfile(services, instance))
  ctx.status = 202
}

/** @throws AuthUiError `bad_address`, `same_address` */
function readAddress(written: string, present: string | undefined): string {
  const address = parseAddress(written.trim())
  if (address === undefined || Buffer.byteLength(address) > 254)
    throw new AuthUiError('bad_address')
  if (address === (present === undefined ? undefined : (parseAddress(present) ?? present))) {
    throw new AuthUiError('same_address')
  }
  return address
}

async function resend(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance } = ctx.state
  const owner = await ownerOf(services, ctx)
  if (services.options.profile.link.email !== undefined) throw new AuthUiError('not_found')
  const { profile, now: asked } = await findProfile(services, instance)
  const pending = livePending(profile, asked)
  if (pending === undefined) throw new AuthUiError('not_found')
  await services.limits.hit(instance, 'email-change-mail')
  const token = newEmailToken()
  const facts = await describeVisitor(services, visitorOf(services, ctx))
  await mailProof(services, instance, facts, { address: pending.address, token })
  await changeProfile(services, instance, ({ profile: latest, now }) => {
    // Proven, dropped or replaced meanwhile: the new link is dead.
    if (latest.emailPending?.tokenHash !== pending.tokenHash) throw new AuthUiError('not_found')
    const { proof: _proof, ...kept } = latest.emailPending
    const emailPending: PendingEmail = {
      ...kept,
      tokenHash: emailTokenHash(token),
      sentAt: now,
      expiresAt: now + services.lifetimes.emailChange,
      sends: kept.sends + 1,
    }
    return { profile: { ...latest, emailPending } }
  })
  await answerProfile(ctx, services, owner, await findProfile(services, instance))
  ctx.status = 202
}

async function dropPending(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance } = ctx.state
  await ownerOf(services, ctx)
  const { profile } = await findProfile(services, instance)
  if (profile.emailPending !== undefined) {
    await changeProfile(services, instance, ({ profile: { emailPending: _gone, ...kept } }) => ({
      profile: kept,
    }))
    services.log.info('email.change_dropped', { domain: instance.domain })
  }
  ctx.status = 204
}

import { expect } from 'chai'
import type { Bucket } from '../../src/rate-limits.ts'
import {
  exerciseActivationCode,
  exerciseMagicCodePassphrase,
  exerciseTotpEnrolment,
  exerciseTwoFactor,
  exerciseTwoFactorGeneration,
  exerciseTwoFactorToken,
} from './exercise-code-limits.ts'
import {
  exerciseAuth,
  exerciseAuthIp,
  exerciseKnownDevice,
  exerciseSessionCode,
} from './exercise-login-limits.ts'
import { confirmedFor, ownerAt } from './factor-flows.ts'
import { type LimitServer, startLimited } from './limit-server.ts'
import { mailsOf, requestReset } from './reset.ts'
import { changeOwner } from './second-step.ts'
import { createAlice } from './ui-server.ts'

const EMAIL = 'alice@mail.example'

/** Of each limit, the rows that the many tries of other exercises do not bring over it. */
const EXERCISES: Partial<Readonly<Record<Bucket, (limited: LimitServer) => Promise<void>>>> = {
  'activation-code': exerciseActivationCode,
  auth: exerciseAuth,
  'auth-ip': exerciseAuthIp,
  'email-change': exerciseEmailChange,
  'email-change-mail': exerciseEmailChange,
  'known-device': exerciseKnownDevice,
  'magic-code-passphrase': exerciseMagicCodePassphrase,
  'passphrase-reset': exerciseReset,
  'resend-onboarding-mail': exerciseResend,
  'send-hint': exerciseHint,
  'session-code': exerciseSessionCode,
  'share-password-ip': exerciseSharePassword,
  'totp-enrolment': exerciseTotpEnrolment,
  'two-factor': exerciseTwoFactor,
  'two-factor-generation': exerciseTwoFactorGeneration,
  'two-factor-token': exerciseTwoFactorToken,
}

/** `METHOD path: bucket` of what was brought over its limit, and of what was counted meanwhile. */
export interface Exercised {
  readonly held: ReadonlySet<string>
  readonly counted: ReadonlySet<string>
}

/** Brings rows over limits, each on a server that allows nothing of it. */
export async function exerciseLimits(): Promise<Exercised> {
  const held = new Set<string>()
  const counted = new Set<string>()
  for (const [bucket, exercise] of Object.entries(EXERCISES)) {
    const limited = await startLimited(bucket as Bucket)
    await exercise(limited)
    for (const pair of limited.held) held.add(pair)
    for (const pair of limited.server.counted) counted.add(pair)
  }
  return { held, counted }
}

async function exerciseSharePassword({ server, refuses }: LimitServer): Promise<void> {
  await createAlice(server)
  for (const path of ['/auth/share-by-link/password', '/auth/clients/share-by-link/password']) {
    const answer = await server.browser().post(path, { perm_id: 'safe', password: 'sesame' })
    refuses(`POST ${path}`, answer)
  }
}

/** The answer is that of a mail that was sent. */
async function exerciseReset({ server, hides }: LimitServer): Promise<void> {
  await createAlice(server, { email: EMAIL })
  const answer = await requestReset(server.browser())
  hides('POST /auth/passphrase_reset', answer, 302)
  expect(mailsOf(server, 'passphrase_reset')).to.deep.equal([])
}

async function exerciseResend({ server, hides }: LimitServer): Promise<void> {
  await createAlice(server, { email: EMAIL }, { isOnboarded: false })
  const answer = await server.browser().post('/auth/onboarding/resend', {})
  expect(await server.sentMails()).to.deep.equal([])
  hides('POST /auth/onboarding/resend', answer, 200)
}

async function exerciseEmailChange({ server, refuses }: LimitServer): Promise<void> {
  await createAlice(server, { email: EMAIL })
  const owner = await ownerAt(server)
  const fields = await confirmedFor(server, owner)
  const body = { ...fields, email: 'alice@new.example' }
  refuses('PUT /settings/profile/email', await owner.call('PUT', '/settings/profile/email', body))
  expect(mailsOf(server, 'update_email')).to.deep.equal([])
}

async function exerciseHint({ server, hides }: LimitServer): Promise<void> {
  const { instance } = await createAlice(server, { email: EMAIL })
  await changeOwner(server, instance, (owner) => ({ ...owner, hint: 'the usual one' }))
  const answer = await server.browser().post('/auth/hint', {})
  expect(await server.sentMails()).to.deep.equal([])
  hides('POST /auth/hint', answer, 200)
}

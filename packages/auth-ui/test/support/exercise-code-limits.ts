import { openMove } from './exercise-authorize.ts'
import { confirmed, EMAIL, lastMail, totpCode } from './factor-flows.ts'
import { type LimitServer, ownersBrowser, registerApp } from './limit-server.ts'
import { enroll, lastPasscode } from './second-step.ts'
import { ask } from './settings-server.ts'
import { createAlice, LOGIN_VALUE } from './ui-server.ts'

const MAIL_PATH = '/settings/factors/mail'
const MODE_PATH = '/settings/instance/auth_mode'
const MOVE_PATH = '/auth/authorize/move'
const TOTP_PATH = '/settings/factors/totp'
const OWNER = { passphrase: LOGIN_VALUE }

/** Right codes of second steps, each of them begun on its own path. */
export async function exerciseTwoFactor({ server, refuses }: LimitServer): Promise<void> {
  const { instance } = await createAlice(server)
  await enroll(server, instance, 'mail')

  const { browser, form } = await openMove(server, instance.domain)
  const begun = await browser.post(MOVE_PATH, form)
  const { searchParams } = new URL(begun.json<{ redirect: string }>().redirect)
  const answer = {
    'two-factor-token': searchParams.get('two_factor_token') ?? '',
    'two-factor-passcode': lastPasscode(server),
  }
  refuses(`POST ${MOVE_PATH}`, await browser.post(MOVE_PATH, { ...form, ...answer }))

  const login = '/auth/login/flagship'
  const app = { ...(await registerApp(server, instance)), ...OWNER }
  const first = (await browser.postJson(login, app)).json<{ two_factor_token: string }>()
  const pair = { ...first, two_factor_passcode: lastPasscode(server) }
  refuses(`POST ${login}`, await browser.postJson(login, { ...app, ...pair }))

  const owner = await ownersBrowser(server, instance)
  const off = { auth_mode: 'basic', ...OWNER }
  const asked = (await ask(owner, 'PUT', MODE_PATH, off)).json<{ two_factor_token: string }>()
  const code = { two_factor_passcode: lastPasscode(server) }
  refuses(`PUT ${MODE_PATH}`, await ask(owner, 'PUT', MODE_PATH, { ...off, ...asked, ...code }))
}

/** Codes to mail: those that switch the mail factor on, then those of second steps. */
export async function exerciseTwoFactorGeneration(limited: LimitServer): Promise<void> {
  const { server, refuses } = limited
  const { instance } = await createAlice(server, { email: EMAIL })
  const owner = await ownersBrowser(server, instance)
  const fields = await confirmed(server)
  refuses(`PUT ${MAIL_PATH}`, await ask(owner, 'PUT', MAIL_PATH, fields))
  const on = { auth_mode: 'two_factor_mail', ...OWNER }
  refuses(`PUT ${MODE_PATH}`, await ask(owner, 'PUT', MODE_PATH, on))

  await enroll(server, instance, 'mail')
  const off = { auth_mode: 'basic', ...OWNER }
  refuses(`PUT ${MODE_PATH}`, await ask(owner, 'PUT', MODE_PATH, off))
  const { browser, form } = await openMove(server, instance.domain)
  refuses(`POST ${MOVE_PATH}`, await browser.post(MOVE_PATH, form))
}

/** The right code is as dead as after too many wrong ones. */
export async function exerciseActivationCode({ server, hides }: LimitServer): Promise<void> {
  const { instance } = await createAlice(server, { email: EMAIL })
  const owner = await ownersBrowser(server, instance)
  const fields = await confirmed(server)
  await ask(owner, 'PUT', MAIL_PATH, fields)
  const { code } = lastMail(server, 'two_factor_mail_confirmation')
  hides(`PUT ${MAIL_PATH}`, await ask(owner, 'PUT', MAIL_PATH, { ...fields, code }), 422)
}

/** The app's right code finds nothing pending. */
export async function exerciseTotpEnrolment({ server, hides }: LimitServer): Promise<void> {
  const { instance } = await createAlice(server)
  const owner = await ownersBrowser(server, instance)
  const begun = await ask(owner, 'POST', TOTP_PATH, await confirmed(server))
  const { secret } = begun.json<{ secret: string }>()
  const code = totpCode(server, secret)
  hides(`PUT ${TOTP_PATH}`, await ask(owner, 'PUT', TOTP_PATH, { code }), 404)
}

/** The link is as dead as after too many wrong passphrases. */
export async function exerciseMagicCodePassphrase({ server, hides }: LimitServer): Promise<void> {
  const { instance } = await createAlice(server)
  await enroll(server, instance, 'mail')
  await server.ui.owners.setMagicLink(instance, true)
  const { code: magic_code } = await server.ui.owners.createMagicLinkCode(instance)
  const app = { ...(await registerApp(server, instance)), ...OWNER }
  const path = '/auth/magic_link/flagship'
  hides(`POST ${path}`, await server.browser().postJson(path, { ...app, magic_code }), 401)
}

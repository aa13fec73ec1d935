import type { BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { openMove } from './exercise-authorize.ts'
import { confirmed, EMAIL, lastMail, postConfirm, totpCode } from './factor-flows.ts'
import { type LimitServer, ownersBrowser, registerApp } from './limit-server.ts'
import { enroll, JSON_ONLY, lastPasscode, passStep1, passStep2 } from './second-step.ts'
import { ask } from './settings-server.ts'
import { createAlice, LOGIN_VALUE, logIn, type UiServer } from './ui-server.ts'

const CHANGE_PATH = '/settings/passphrase'
const FLAGSHIP_PATH = '/auth/login/flagship'
const SESSION_CODE_PATH = '/auth/session_code'
const MAIL_PATH = '/settings/factors/mail'
const MODE_PATH = '/settings/instance/auth_mode'
const MOVE_PATH = '/auth/authorize/move'
const TOTP_PATH = '/settings/factors/totp'
const OWNER = { passphrase: LOGIN_VALUE }

/** Right codes of second steps, each of them begun on its own path. */
export async function exerciseTwoFactor({ server, refuses }: LimitServer): Promise<void> {
  await answerEverywhere(server, refuses)
}

/** The same: their second steps are as dead as after too many wrong codes. */
export async function exerciseTwoFactorToken({ server, hides }: LimitServer): Promise<void> {
  await answerEverywhere(server, (row, answer) => {
    // Each family of routes has a status of its own for it.
    expect(answer.text, row).to.include('this code is no longer valid')
    hides(row, answer, answer.status)
  })
}

async function answerEverywhere(
  server: UiServer,
  meets: (row: string, answer: BrowserResponse) => void,
): Promise<void> {
  const { instance } = await createAlice(server)
  await enroll(server, instance, 'mail')

  const { browser, form } = await openMove(server, instance.domain)
  const begun = await browser.post(MOVE_PATH, form)
  const { searchParams } = new URL(begun.json<{ redirect: string }>().redirect)
  const answer = {
    'two-factor-token': searchParams.get('two_factor_token') ?? '',
    'two-factor-passcode': lastPasscode(server),
  }
  meets(`POST ${MOVE_PATH}`, await browser.post(MOVE_PATH, { ...form, ...answer }))

  const app = { ...(await registerApp(server, instance)), ...OWNER }
  for (const [path, fields] of [
    [FLAGSHIP_PATH, app],
    [SESSION_CODE_PATH, OWNER],
  ] as const) {
    const first = (await browser.postJson(path, fields)).json<{ two_factor_token: string }>()
    const { two_factor_token } = first
    const pair = { two_factor_token, two_factor_passcode: lastPasscode(server) }
    meets(`POST ${path}`, await browser.postJson(path, { ...fields, ...pair }))
  }

  const token = await passStep1(browser)
  const passed = await passStep2(browser, token, lastPasscode(server), {}, JSON_ONLY)
  meets('POST /auth/twofactor', passed)

  const owner = await ownersBrowser(server, instance)
  const off = { auth_mode: 'basic', ...OWNER }
  const asked = (await ask(owner, 'PUT', MODE_PATH, off)).json<{ two_factor_token: string }>()
  const code = { two_factor_passcode: lastPasscode(server) }
  meets(`PUT ${MODE_PATH}`, await ask(owner, 'PUT', MODE_PATH, { ...off, ...asked, ...code }))
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
  refuses('POST /auth/login', await logIn(browser, {}, JSON_ONLY))
  refuses('POST /auth/confirm', await postConfirm(browser, {}, JSON_ONLY))
  refuses(`POST ${SESSION_CODE_PATH}`, await browser.postJson(SESSION_CODE_PATH, OWNER))
  const app = { ...(await registerApp(server, instance)), ...OWNER }
  refuses(`POST ${FLAGSHIP_PATH}`, await browser.postJson(FLAGSHIP_PATH, app))
  const change = { current_passphrase: LOGIN_VALUE }
  refuses(`PUT ${CHANGE_PATH}`, await ask(owner, 'PUT', CHANGE_PATH, change))
}

/** The right code is as dead as after too many wrong ones. */
export async function exerciseActivationCode({ server, hides }: LimitServer): Promise<void> {
  const { instance } = await createAlice(server, { email: EMAIL })
  const owner = await ownersBrowser(server, instance)
  const fields = await confirmed(server)
  await ask(owner, 'PUT', MAIL_PATH, fields)
  const { code } = lastMail(server, 'two_factor_mail_confirmation')
  hides(`PUT ${MAIL_PATH}`, await ask(owner, 'PUT', MAIL_PATH, { ...fields, code }), 422)
  const on = { auth_mode: 'two_factor_mail', two_factor_activation_code: code }
  hides(`PUT ${MODE_PATH}`, await ask(owner, 'PUT', MODE_PATH, on), 422)
}

/** The app's right code finds nothing pending. */
export async function exerciseTotpEnrolment({ server, hides }: LimitServer): Promise<void> {
  const { instance } = await createAlice(server)
  const owner = await ownersBrowser(server, instance)
  const begun = await ask(owner, 'POST', TOTP_PATH, await confirmed(server))
  const { secret } = begun.json<{ secret: string }>()
  const code = totpCode(server, secret)
  hides(`PUT ${TOTP_PATH}`, await ask(owner, 'PUT', TOTP_PATH, { code }), 404)
  await ask(owner, 'POST', '/settings/factors/own/right', await confirmed(server))
  const own = await ask(owner, 'PUT', '/settings/factors/own/right', { code: 'right' })
  hides('PUT /settings/factors/own/:name', own, 404)
}

/** The link is as dead as after too many wrong passphrases. */
export async function exerciseMagicCodePassphrase({ server, hides }: LimitServer): Promise<void> {
  const { instance } = await createAlice(server)
  await enroll(server, instance, 'mail')
  await server.ui.owners.setMagicLink(instance, true)
  const first = await server.ui.owners.createMagicLinkCode(instance)
  const app = { ...(await registerApp(server, instance)), ...OWNER }
  const page = '/auth/magic_link/twofactor'
  const linked = await server
    .browser()
    .post(page, { magic_code: first.code, ...OWNER }, { headers: JSON_ONLY })
  hides(`POST ${page}`, linked, 401)
  const { code: magic_code } = await server.ui.owners.createMagicLinkCode(instance)
  const path = '/auth/magic_link/flagship'
  hides(`POST ${path}`, await server.browser().postJson(path, { ...app, magic_code }), 401)
}

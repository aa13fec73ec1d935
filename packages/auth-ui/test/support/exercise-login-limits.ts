import type { Instance } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { openMove } from './exercise-authorize.ts'
import { postConfirm } from './factor-flows.ts'
import { type LimitServer, ownersBrowser, registerApp } from './limit-server.ts'
import { ask } from './settings-server.ts'
import { enroll } from './second-step.ts'
import { createAlice, LOGIN_VALUE, logIn, type UiServer } from './ui-server.ts'

const JSON_ONLY = { accept: 'application/json' }
const CHANGE_PATH = '/settings/passphrase'
const CHECK_PATH = '/settings/passphrase/check'
const MODE_PATH = '/settings/instance/auth_mode'
const FLAGSHIP_LINK = '/auth/magic_link/flagship'
const MOVE = '/auth/authorize/move'
const ONBOARDING = '/settings/passphrase/flagship'
const SESSION_CODE = '/auth/session_code'
const OWNER = { passphrase: LOGIN_VALUE }
const WRONG = { passphrase: 'wrong' }

/** Every place that takes the passphrase, from a browser that nobody logged in with. */
export async function exerciseAuth(limited: LimitServer): Promise<void> {
  await tryEverywhere(limited, (instance) => limited.server.browser(instance.origin))
}

/** The same, from the owner's own browser. */
export async function exerciseKnownDevice(limited: LimitServer): Promise<void> {
  const { server, refuses } = limited
  const open = (instance: Instance): Promise<BrowserClient> => ownersBrowser(server, instance)
  const instance = await tryEverywhere(limited, open)
  const mode = { auth_mode: 'basic', ...WRONG }
  refuses(`PUT ${MODE_PATH}`, await ask(await open(instance), 'PUT', MODE_PATH, mode))
}

async function tryEverywhere(
  { server, refuses }: LimitServer,
  open: (instance: Instance) => BrowserClient | Promise<BrowserClient>,
): Promise<Instance> {
  const { instance } = await createAlice(server)
  const { owners } = server.ui
  const browser = await open(instance)
  refuses('POST /auth/login', await logIn(browser, WRONG, JSON_ONLY))
  refuses('POST /auth/confirm', await postConfirm(browser, WRONG, JSON_ONLY))
  refuses(`POST ${SESSION_CODE}`, await browser.postJson(SESSION_CODE, WRONG))
  const { browser: mover, form } = await openMove(server, instance.domain, browser)
  refuses(`POST ${MOVE}`, await mover.post(MOVE, { ...form, ...WRONG }))
  const app = { ...(await registerApp(server, instance)), ...WRONG }
  refuses('POST /auth/login/flagship', await browser.postJson('/auth/login/flagship', app))

  // A certified app has no session: with one, the count would be that of the known browser.
  await server.oauth.clients.setFlagship(instance, app.client_id, true)
  const tokens = await server.oauth.clients.issueFlagshipTokens(instance, app.client_id)
  const token = tokens?.access_token ?? ''
  const change = { current_passphrase: 'wrong' }
  refuses(`PUT ${CHANGE_PATH}`, await ask(browser, 'PUT', CHANGE_PATH, change, { token }))
  refuses(`POST ${CHECK_PATH}`, await ask(browser, 'POST', CHECK_PATH, WRONG, { token }))

  await enroll(server, instance, 'mail')
  await owners.setMagicLink(instance, true)
  const { code: magic_code } = await owners.createMagicLinkCode(instance)
  const link = '/auth/magic_link/twofactor'
  refuses(
    `POST ${link}`,
    await browser.post(link, { magic_code, ...WRONG }, { headers: JSON_ONLY }),
  )
  const { code } = await owners.createMagicLinkCode(instance)
  const flagship = await browser.postJson(FLAGSHIP_LINK, { ...app, magic_code: code })
  refuses(`POST ${FLAGSHIP_LINK}`, flagship)
  return instance
}

/** As {@link exerciseAuth}, and an app whose own secret is wrong. */
export async function exerciseAuthIp(limited: LimitServer): Promise<void> {
  const { server, refuses } = limited
  await exerciseAuth(limited)
  refuses(`POST ${ONBOARDING}`, await onboardFromApp(server, { client_secret: 'wrong' }))
}

export async function exerciseSessionCode({ server, refuses }: LimitServer): Promise<void> {
  const { instance } = await createAlice(server)
  const { owners } = server.ui
  const browser = server.browser()
  refuses(`POST ${SESSION_CODE}`, await browser.postJson(SESSION_CODE, OWNER))
  const app = { ...(await registerApp(server, instance)), ...OWNER }
  refuses('POST /auth/login/flagship', await browser.postJson('/auth/login/flagship', app))
  await owners.setMagicLink(instance, true)
  const { code: magic_code } = await owners.createMagicLinkCode(instance)
  const linked = await browser.postJson(FLAGSHIP_LINK, { ...app, magic_code })
  refuses(`POST ${FLAGSHIP_LINK}`, linked)
  refuses(`POST ${ONBOARDING}`, await onboardFromApp(server))
}

/** An app onboards an owner of its own. */
async function onboardFromApp(
  server: UiServer,
  credentials: { readonly client_secret?: string } = {},
): Promise<BrowserResponse> {
  const { instance, onboardingUrl } = await createAlice(
    server,
    { domain: 'soon.example.com' },
    { isOnboarded: false },
  )
  return server.browser(instance.origin).postJson(ONBOARDING, {
    ...(await registerApp(server, instance)),
    ...credentials,
    register_token: new URL(onboardingUrl).searchParams.get('registerToken'),
    ...OWNER,
    iterations: 50_000,
  })
}

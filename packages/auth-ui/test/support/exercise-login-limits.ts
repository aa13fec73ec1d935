import { openMove } from './exercise-authorize.ts'
import { postConfirm } from './factor-flows.ts'
import { type LimitServer, ownersBrowser, registerApp } from './limit-server.ts'
import { ask } from './settings-server.ts'
import { createAlice, LOGIN_VALUE, logIn } from './ui-server.ts'

const JSON_ONLY = { accept: 'application/json' }
const CHANGE_PATH = '/settings/passphrase'
const CHECK_PATH = '/settings/passphrase/check'
const MODE_PATH = '/settings/instance/auth_mode'
const WRONG = { passphrase: 'wrong' }

/** Every place that takes the passphrase, from a browser that nobody logged in with. */
export async function exerciseAuth({ server, refuses }: LimitServer): Promise<void> {
  const { instance } = await createAlice(server)
  const stranger = server.browser()
  refuses('POST /auth/login', await logIn(stranger, WRONG, JSON_ONLY))
  refuses('POST /auth/confirm', await postConfirm(stranger, WRONG, JSON_ONLY))
  const app = { ...(await registerApp(server, instance)), ...WRONG }
  refuses('POST /auth/login/flagship', await stranger.postJson('/auth/login/flagship', app))
  const { browser, form } = await openMove(server, instance.domain)
  const move = '/auth/authorize/move'
  refuses(`POST ${move}`, await browser.post(move, { ...form, ...WRONG }))

  // A certified app has no session: with one, the count would be that of the known browser.
  await server.oauth.clients.setFlagship(instance, app.client_id, true)
  const tokens = await server.oauth.clients.issueFlagshipTokens(instance, app.client_id)
  const token = tokens?.access_token ?? ''
  const change = { current_passphrase: 'wrong' }
  refuses(`PUT ${CHANGE_PATH}`, await ask(stranger, 'PUT', CHANGE_PATH, change, { token }))
  refuses(`POST ${CHECK_PATH}`, await ask(stranger, 'POST', CHECK_PATH, WRONG, { token }))
}

/** The settings app, whose token is good only beside the session. */
export async function exerciseKnownDevice({ server, refuses }: LimitServer): Promise<void> {
  const { instance } = await createAlice(server)
  const owner = await ownersBrowser(server, instance)
  const mode = { auth_mode: 'two_factor_mail', ...WRONG }
  refuses(`PUT ${MODE_PATH}`, await ask(owner, 'PUT', MODE_PATH, mode))
}

/** Apps whose owner is right and whose own secret is wrong. */
export async function exerciseAuthIp({ server, refuses }: LimitServer): Promise<void> {
  const { instance } = await createAlice(server)
  const app = { ...(await registerApp(server, instance)), client_secret: 'wrong' }
  await server.ui.owners.setMagicLink(instance, true)
  const { code: magic_code } = await server.ui.owners.createMagicLinkCode(instance)
  const link = '/auth/magic_link/flagship'
  refuses(`POST ${link}`, await server.browser().postJson(link, { ...app, magic_code }))

  const { instance: soon, onboardingUrl } = await createAlice(
    server,
    { domain: 'soon.example.com' },
    { isOnboarded: false },
  )
  const onboarding = '/settings/passphrase/flagship'
  const answer = await server.browser(soon.origin).postJson(onboarding, {
    ...(await registerApp(server, soon)),
    client_secret: 'wrong',
    register_token: new URL(onboardingUrl).searchParams.get('registerToken'),
    passphrase: LOGIN_VALUE,
    iterations: 50_000,
  })
  refuses(`POST ${onboarding}`, answer)
}

export async function exerciseSessionCode({ server, refuses }: LimitServer): Promise<void> {
  await createAlice(server)
  const answer = await server.browser().postJson('/auth/session_code', { passphrase: LOGIN_VALUE })
  refuses('POST /auth/session_code', answer)
}

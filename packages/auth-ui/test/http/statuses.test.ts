import { expect } from 'chai'
import { ask, startWithSettings } from '../support/settings-server.ts'
import { exerciseActivity } from '../support/exercise-activity.ts'
import { exerciseAssistants } from '../support/exercise-assistants.ts'
import { exerciseAuthorize } from '../support/exercise-authorize.ts'
import { exerciseClients } from '../support/exercise-clients.ts'
import { exerciseCodeLogins } from '../support/exercise-code-logins.ts'
import {
  exerciseBeforeOwner,
  exerciseEveryRow,
  exerciseOtherMethods,
} from '../support/exercise-every-row.ts'
import { exerciseFactors, RIGHT } from '../support/exercise-factors.ts'
import { exerciseFlagship } from '../support/exercise-flagship.ts'
import { exerciseLimits } from '../support/exercise-limits.ts'
import { exercisePasskeys } from '../support/exercise-passkeys.ts'
import { exercisePassphrase } from '../support/exercise-passphrase.ts'
import { exerciseProfile } from '../support/exercise-profile.ts'
import { keptChanges } from '../support/kept-changes.ts'
import { NUMBER, phoneHost } from '../support/phone.ts'
import { exerciseSecondStep } from '../support/exercise-second-step.ts'
import { createAlice, LOGIN_VALUE, logIn, type UiServer } from '../support/ui-server.ts'

const JSON_ONLY = { accept: 'application/json' }
const BAD_QUERY = '?a=%ff'
/** Mails to the owner behind an answer: no answer depends on these limits. */
const OF_NOTICES = new Set(['login-throttled-mail', 'new-connection-mail'])

describe('the rows of auth-ui', () => {
  let server: UiServer
  const phone = phoneHost()
  const kept = keptChanges(() => server.store)
  beforeEach(async () => {
    server = await startWithSettings({
      notes: true,
      ui: {
        factors: [RIGHT],
        ...phone.ui,
        assistantChanges: kept,
        limits: { 'register-guess': { limit: 3, windowMs: 1000 } },
        shares: {
          find: async (_instance, id) =>
            id === 'safe' ? { password: await server.ui.hashSharePassword('sesame') } : undefined,
        },
      },
    })
  })

  it('answer with every status they declare and no other, and count what they name and nothing else', async () => {
    await exerciseEveryRow(server)
    await exerciseBeforeOwner(server)
    await exerciseOtherMethods(server)
    await beforeOnboarding()
    await onboarding()
    await loggingIn()
    await settings()
    await assets()
    await exerciseClients(server)
    await exerciseCodeLogins(server)
    await exerciseFlagship(server)
    await exerciseFactors(server)
    await exercisePasskeys(server)
    await exerciseSecondStep(server)
    await exerciseProfile(server, phone)
    await exercisePassphrase(server)
    await exerciseAuthorize(server)
    await exerciseActivity(server)
    await exerciseAssistants(server, kept)
    const declared = server.ui.rows.flatMap(({ method, path, statuses }) =>
      statuses.map((status) => `${method} ${path}: ${status}`),
    )
    const missing = declared.filter((each) => !server.exercised.has(each))
    expect(missing).to.deep.equal([])
    const limits = server.ui.rows.flatMap(({ method, path, limit }) =>
      (typeof limit === 'object' ? limit : []).map(({ bucket }) => `${method} ${path}: ${bucket}`),
    )
    expect(limits).to.have.length.greaterThan(30)
    const { held, counted } = await exerciseLimits()
    const exceeded = new Set([...server.exceeded, ...held])
    expect(limits.filter((each) => !exceeded.has(each))).to.deep.equal([])
    // Of what else a request counts, its row says nothing.
    const ofUi = new Set(server.ui.rows.map(({ method, path }) => `${method} ${path}`))
    const unnamed = [...server.counted, ...counted]
      .filter((each) => ofUi.has(each.split(': ')[0] ?? ''))
      .filter((each) => !limits.includes(each) && !OF_NOTICES.has(each.split(': ')[1] ?? ''))
    expect(unnamed, 'counted, and named by no row').to.deep.equal([])
    const says = server.ui.rows.flatMap(({ method, path, activity }) =>
      activity === undefined || (typeof activity === 'object' && 'none' in activity)
        ? []
        : [activity].flat().map((event) => `${method} ${path}: ${event}`),
    )
    expect(
      says.filter((each) => !server.noted.has(each)),
      'said, and never noted',
    ).to.deep.equal([])
    const silent = [...server.noted]
      .filter((each) => ofUi.has(each.split(': ')[0] ?? ''))
      .filter((each) => !says.includes(each))
    expect(silent, 'noted, and said by no row').to.deep.equal([])
    expectNoSecrets()
  })

  /** SPEC: owner.md 5.9 - whatever was typed, mailed or stored in those hundreds of requests. */
  function expectNoSecrets(): void {
    expect(server.events.length).to.be.greaterThan(50)
    const text = JSON.stringify(server.events)
    const mailed = server.mails.flatMap(({ variables }) =>
      Object.entries(variables)
        .filter(([name]) => ['passcode', 'code', 'url', 'hint'].includes(name))
        .map(([, value]) => String(value)),
    )
    expect(mailed.length).to.be.greaterThan(5)
    const texted = phone.texts.map(({ code }) => code)
    const known = [LOGIN_VALUE, 'sesame', 'alice@mail.example', NUMBER]
    for (const secret of [...known, ...mailed, ...texted]) {
      // Six digits of a time or of an id are no code.
      const isThere = /^\d+$/.test(secret)
        ? new RegExp(`(?<!\\w)${secret}(?!\\w)`).test(text)
        : text.includes(secret)
      expect(isThere, secret).to.equal(false)
    }
  }

  async function beforeOnboarding(): Promise<void> {
    await createAlice(server, {}, { isOnboarded: false })
    const browser = server.browser()
    for (const path of ['/', '/auth/login', '/auth/passphrase', '/public/prelogin']) {
      await browser.get(path)
      await browser.get(path, { headers: JSON_ONLY })
    }
    const wrong = { register_token: '0' }
    for (let at = 0; at < 4; at += 1) await browser.post('/settings/passphrase', wrong)
    await browser.post('/settings/passphrase', wrong, { headers: JSON_ONLY })
    for (const path of ['/', '/auth/passphrase']) await browser.get(`${path}?registerToken=0`)
    server.clock.advance(1001)
  }

  async function onboarding(): Promise<void> {
    for (const [domain, accept] of [
      ['bob.example.com', 'text/html'],
      ['carol.example.com', 'application/json'],
    ] as const) {
      const { onboardingUrl = '' } = await server.ui.owners.createInstance({ domain })
      const url = new URL(onboardingUrl)
      const other = server.browser(url.origin)
      const fields = {
        register_token: url.searchParams.get('registerToken') ?? '',
        passphrase: LOGIN_VALUE,
      }
      const headers = { accept }
      await other.get(`/${url.search}`)
      await other.get(onboardingUrl)
      await other.post('/settings/passphrase', { ...fields, iterations: '1' }, { headers })
      await other.post('/settings/passphrase', { ...fields, iterations: '50000' }, { headers })
      await other.get('/auth/passphrase')
    }
    const alice = await server.oauth.instances.byHost('alice.example.com')
    if (alice === undefined) throw new Error('alice is gone')
    await server.ui.owners.setPassphrase(alice, 'x')
  }

  async function loggingIn(): Promise<void> {
    const bob = server.browser('https://bob.example.com')
    await bob.get('/auth/login')
    await bob.get('/public/prelogin')

    for (let at = 0; at < 21; at += 1) await logIn(bob, { passphrase: 'wrong' })
    server.clock.advance(3_600_000)
    await logIn(bob, {}, JSON_ONLY)
    await logIn(bob)
    await bob.get('/auth/login')
    for (const path of ['/auth/login/others', '/auth/login']) {
      await bob.request('DELETE', path)
      await ask(bob, 'DELETE', path)
    }
  }

  async function settings(): Promise<void> {
    const bob = server.browser('https://bob.example.com')
    await logIn(bob)
    const instance = await server.oauth.instances.byHost('bob.example.com')
    if (instance === undefined) throw new Error('bob is gone')
    const { session } = await server.ui.owners.createSession(instance)
    const another = await server.ui.owners.createSession(instance)
    const { client_id } = (
      await bob.postJson('/auth/register', {
        redirect_uris: ['https://client.example/callback'],
        client_name: 'Client',
        software_id: 'client',
      })
    ).json<{ client_id: string }>()
    const rows: readonly [method: string, path: string][] = [
      ['GET', '/settings/access'],
      ['GET', '/settings/clients'],
      ['GET', '/settings/checkup'],
      ['GET', '/settings/devices'],
      ['DELETE', `/settings/devices/${session.id}`],
      ['DELETE', '/settings/devices/x'],
      ['GET', '/settings/disk-usage'],
      ['GET', '/settings/restored'],
      ['DELETE', '/settings/restored'],
      ['DELETE', `/settings/clients/${client_id}`],
      ['DELETE', '/settings/clients/x'],
      ['GET', '/settings/passphrase'],
      ['GET', '/settings/sessions'],
      ['DELETE', `/settings/sessions/${another.session.id}`],
      ['DELETE', '/settings/sessions/x'],
    ]
    for (const [method, path] of rows) await ask(bob, method, path)
    const current = '/settings/sessions/current'
    await bob.get(current)
    await bob.another().get(current)
    await withoutOwner()
  }

  /** An instance that was made without an owner's record has no salt to tell. */
  async function withoutOwner(): Promise<void> {
    const dave = await server.oauth.instances.create({ domain: 'dave.example.com' })
    const browser = server.browser('https://dave.example.com')
    const { cookie } = await server.ui.owners.createSession(dave)
    browser.plantCookie(`${cookie.name}=${cookie.value}; Domain=dave.example.com; Path=/; Secure`)
    await ask(browser, 'GET', '/settings/passphrase')
  }

  async function assets(): Promise<void> {
    const bob = server.browser('https://bob.example.com').another()
    const page = (await bob.get('/auth/login')).page()
    const [sheet] = page.elements('link')
    const href = sheet?.attrs.find(({ name }) => name === 'href')?.value ?? ''
    const { etag = '' } = (await bob.get(href)).headers
    await bob.get(href, { headers: { 'if-none-match': etag } })
    await bob.get(href + BAD_QUERY)
    await bob.get('/auth/assets/x/y.css')
  }
})

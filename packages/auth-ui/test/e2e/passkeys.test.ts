import { addAuthenticator, needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import {
  accept,
  addPasskey,
  type BrowserSteps,
  startBrowserSteps,
} from '../support/browser-steps.ts'

const PASSKEY_ID = 'AAECAwQFBgcICQoLDA0ODw'

/** What takes the browser's place in `navigator.credentials`. Each runs in the page. */
const PROVIDERS: readonly (readonly [name: string, install: () => void])[] = [
  [
    'a password manager that answers with plain objects',
    () => {
      const plain = (object: object): object => {
        const copy: Record<string, unknown> = {}
        for (const name in object) {
          if (name === 'toJSON') continue
          const value: unknown = Reflect.get(object, name)
          copy[name] = typeof value === 'function' ? value.bind(object) : value
        }
        return copy
      }
      const { credentials } = navigator
      for (const name of ['create', 'get'] as const) {
        const real = credentials[name].bind(credentials) as (options: object) => Promise<object>
        Reflect.set(credentials, name, async (options: object) => {
          const credential = await real(options)
          return { ...plain(credential), response: plain(Reflect.get(credential, 'response')) }
        })
      }
    },
  ],
  [
    'a password manager whose toJSON throws',
    () => {
      PublicKeyCredential.prototype.toJSON = () => {
        throw new TypeError('Illegal invocation')
      }
    },
  ],
  [
    'a browser that neither reads nor writes JSON',
    () => {
      Reflect.deleteProperty(PublicKeyCredential, 'parseCreationOptionsFromJSON')
      Reflect.deleteProperty(PublicKeyCredential, 'parseRequestOptionsFromJSON')
      Reflect.deleteProperty(PublicKeyCredential.prototype, 'toJSON')
    },
  ],
]

describe('passkeys, in a browser', function () {
  this.timeout(60_000)
  let steps: BrowserSteps
  let page: Page

  before(async function () {
    needsChromium(this)
    steps = await startBrowserSteps()
  })
  beforeEach(async () => {
    steps.server.posted.length = 0
    steps.answer = accept
    page = await (await steps.browser.newContext()).newPage()
  })
  afterEach(() => page.context().close())
  after(() => steps?.close())

  const open = (name: string): Promise<unknown> => page.goto(`${steps.origin}/${name}`)
  const press = (name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).click()
  const arrived = (): Promise<void> => page.waitForURL(`${steps.origin}/blocked`)
  const posted = (field: string): Record<string, unknown> =>
    JSON.parse(steps.server.posted[0]?.get(field) ?? '') as Record<string, unknown>

  for (const [provider, install] of PROVIDERS) {
    describe(`of ${provider}`, () => {
      beforeEach(() => page.addInitScript(install))

      for (const [sample, button, field] of [
        ['passcode-all', 'Use your passkey', 'two-factor-assertion'],
        ['login', 'Log in with a passkey', 'credential'],
        ['confirm', 'Confirm with a passkey', 'credential'],
      ] as const) {
        it(`answer on the page ${sample}`, async () => {
          const { session, authenticatorId } = await addPasskey(page, PASSKEY_ID)
          const isThere = (enabled: boolean): Promise<unknown> =>
            session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
          // The list of passkeys is not answered: nobody is there when it starts.
          await isThere(false)
          await open(sample)
          await page.getByRole('button', { name: button, exact: true }).waitFor()
          await isThere(true)
          await press(button)
          await arrived()
          const { id, rawId, type, response } = posted(field)
          expect({ id, rawId, type }).to.deep.equal({
            id: PASSKEY_ID,
            rawId: PASSKEY_ID,
            type: 'public-key',
          })
          expect(response).to.include.keys('authenticatorData', 'clientDataJSON', 'signature')
        })
      }

      for (const [sample, button] of [
        ['passkey', 'Create the passkey'],
        ['passkey-offer', 'Add a passkey'],
      ] as const) {
        it(`are made on the page ${sample}`, async () => {
          steps.answer = (ctx) => {
            if (sample === 'passkey') ctx.redirect('/blocked')
            else ctx.body = { redirect: '/blocked' }
          }
          await addAuthenticator(page)
          await open(sample)
          await press(button)
          if (sample === 'passkey') await arrived()
          else await page.getByRole('heading', { name: 'Your passkey is added' }).waitFor()
          const { id, rawId, type, response } = posted('credential')
          expect({ rawId, type }).to.deep.equal({ rawId: id, type: 'public-key' })
          expect(response).to.include.keys('attestationObject', 'clientDataJSON', 'transports')
        })
      }
    })
  }
})

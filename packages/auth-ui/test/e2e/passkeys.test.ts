import { addAuthenticator, createGate, needsChromium, until } from '@svc/testkit'
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

/** What a test steers and reads in the page. */
interface Steered {
  /** Requests for a passkey in their order: `list` or `button`, and how they ended. */
  readonly requests: string[]
  /** How often the browser was asked whether it has a list. */
  questions: number
  /** Answers the oldest such question, which waits until then. */
  sayListExists(): void
  /** Lets the device answer the request of the button, which waits until then. */
  touch(): void
}

/** Runs in the page. */
function steer(): void {
  const answers: (() => void)[] = []
  const touches: (() => void)[] = []
  const requests: string[] = []
  PublicKeyCredential.isConditionalMediationAvailable = () => {
    steered.questions += 1
    return new Promise((resolve) => answers.push(() => resolve(true)))
  }
  const { credentials } = navigator
  const get = credentials.get.bind(credentials)
  credentials.get = async (options) => {
    const kind = options?.mediation === 'conditional' ? 'list' : 'button'
    requests.push(kind)
    try {
      if (kind === 'button')
        await new Promise<void>((resolve, reject) => {
          touches.push(resolve)
          options?.signal?.addEventListener('abort', () => reject(options.signal?.reason))
        })
      return await get(options)
    } catch (error) {
      requests.push(`${kind}: ${error instanceof Error ? error.name : ''}`)
      throw error
    }
  }
  const steered: Steered = {
    requests,
    questions: 0,
    sayListExists: () => answers.shift()?.(),
    touch: () => touches.shift()?.(),
  }
  Object.assign(globalThis, { steered })
}

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

  describe('in the list of the browser', () => {
    const call = (name: 'sayListExists' | 'touch'): Promise<void> =>
      page.evaluate((method) => {
        const { steered } = globalThis as unknown as { steered: Steered }
        steered[method]()
      }, name)
    const steered = (): Promise<Pick<Steered, 'questions' | 'requests'>> =>
      page.evaluate(() => {
        const { questions, requests } = (globalThis as unknown as { steered: Steered }).steered
        return { questions, requests }
      })
    const requests = async (): Promise<readonly string[]> => (await steered()).requests
    /** The page's question whether there is a list is answered; the second one is the library's. */
    const libraryAsks = (): Promise<unknown> => until(async () => (await steered()).questions === 2)
    /** Until the page has done what an answer of the browser led to. */
    const settled = (): Promise<void> =>
      page.evaluate(
        () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))),
      )
    const isAsked = (): Promise<unknown> => until(async () => (await requests()).includes('button'))
    const becomesVisible = (): Promise<void> =>
      page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange')))

    beforeEach(() => page.addInitScript(steer))

    for (const [sample, button] of [
      ['login', 'Log in with a passkey'],
      ['confirm', 'Confirm with a passkey'],
    ] as const) {
      it(`never start while a passkey is asked for by the button of ${sample}`, async () => {
        await addPasskey(page, PASSKEY_ID)
        await open(sample)
        await press(button)
        await isAsked()
        // Late for the page, then for the library, which asks again.
        for (let question = 0; question < 2; question += 1) {
          await call('sayListExists')
          await settled()
        }
        expect(await requests()).to.deep.equal(['button'])
        await call('touch')
        await arrived()
      })

      it(`are not started by the library once the button of ${sample} was pressed`, async () => {
        await addPasskey(page, PASSKEY_ID)
        await open(sample)
        await call('sayListExists')
        await libraryAsks()
        await press(button)
        await isAsked()
        await call('sayListExists')
        await settled()
        expect(await requests()).to.deep.equal(['button'])
        await call('touch')
        await arrived()
      })

      it(`stay away when ${sample} becomes visible while the button's request lives`, async () => {
        await addPasskey(page, PASSKEY_ID)
        const gate = createGate()
        steps.answer = async (ctx) => {
          await gate.pass()
          await accept(ctx)
        }
        await open(sample)
        await press(button)
        await isAsked()
        await becomesVisible()
        await call('sayListExists')
        await call('sayListExists')
        await settled()
        expect(await requests()).to.deep.equal(['button'])
        await call('touch')
        // Its answer is on its way: the request of the owner is not over yet.
        await gate.arrived(1)
        await becomesVisible()
        await call('sayListExists')
        await call('sayListExists')
        await settled()
        expect(await requests()).to.deep.equal(['button'])
        gate.open()
        await arrived()
      })
    }

    it('stay away while a passphrase is on its way', async () => {
      const gate = createGate()
      steps.answer = async (ctx) => {
        await gate.pass()
        await accept(ctx)
      }
      await addPasskey(page, PASSKEY_ID)
      await open('confirm')
      await call('sayListExists')
      await libraryAsks()
      await page.getByLabel('Passphrase', { exact: true }).fill('correct horse battery staple')
      await press('Confirm')
      await gate.arrived(1)
      await call('sayListExists')
      await becomesVisible()
      await call('sayListExists')
      await settled()
      expect(await requests()).to.deep.equal([])
      gate.open()
      await arrived()
    })

    it('come back once the request of the button was given up', async () => {
      await addAuthenticator(page)
      await open('login')
      await press('Log in with a passkey')
      await isAsked()
      await call('touch')
      await until(async () => {
        await call('sayListExists')
        return (await requests()).includes('list')
      })
    })
  })

  describe('where the device has none of this space', () => {
    const NONE = 'No passkey for this space on this device.'
    for (const [sample, button, text] of [
      ['login', 'Log in with a passkey', `${NONE} Use your passphrase.`],
      ['confirm', 'Confirm with a passkey', `${NONE} Use your passphrase.`],
      ['confirm-mail', 'Confirm with a passkey', `${NONE} Use a code by email.`],
    ] as const) {
      it(`says so on the page ${sample}`, async () => {
        await addAuthenticator(page)
        await open(sample)
        await press(button)
        await page.getByText(text, { exact: true }).waitFor()
        await page.getByRole('button', { name: button, exact: true }).waitFor()
        expect(steps.server.posted).to.have.lengthOf(0)
      })
    }

    it('says that it did not work where one was used before', async () => {
      await addAuthenticator(page)
      await page.addInitScript(() => localStorage.setItem('passkey-used', '1'))
      await open('login')
      await press('Log in with a passkey')
      await page.getByText('Your passkey didn’t work.').waitFor()
    })
  })
})

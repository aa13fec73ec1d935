import { launchChromium, needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type Koa from 'koa'
import type { Browser, Page } from 'playwright-core'
import { type SampleServer, sampleServer } from '../support/sample-server.ts'

const DERIVED = 'I2XwfBpy0jmy1ZaG2NiejXnYAE5szlgYZubouBnUoU0='
/** Of {@link CHOSEN} with 650 000 iterations. */
const DERIVED_NEW = 'ttwIeDYsU4F67vtB+YmneTRRRcIJNoK/1MtfQ06dJog='
const PASSPHRASE = 'correct horse battery staple'
const CHOSEN = 'plume cadran hibou tisane'

describe('forms, in a browser', function () {
  this.timeout(30_000)
  let server: SampleServer
  let browser: Browser
  let page: Page
  let answer: (ctx: Koa.Context) => void | Promise<void>

  before(async function () {
    needsChromium(this)
    server = await sampleServer({ answer: (ctx) => answer(ctx) })
    browser = await launchChromium({ port: server.port, domains: [] })
  })
  beforeEach(async () => {
    server.posted.length = 0
    page = await browser.newPage()
  })
  afterEach(() => page.close())
  after(async () => {
    await browser?.close()
    await server?.close()
  })

  const accept = (ctx: Koa.Context): void => {
    ctx.body = { redirect: '/blocked' }
  }
  const refuse =
    (status: number, code: string, headers: Record<string, string> = {}) =>
    (ctx: Koa.Context): void => {
      ctx.status = status
      ctx.set(headers)
      ctx.body = { error: 'x', code }
    }

  describe('log in', () => {
    const open = (rest = ''): Promise<unknown> => page.goto(`${server.origin}/login${rest}`)
    const submit = async (passphrase: string): Promise<void> => {
      await page.getByLabel('Passphrase', { exact: true }).fill(passphrase)
      await page.getByRole('button', { name: 'Log in', exact: true }).click()
    }

    it('sends what was derived, never what was typed, and goes where it is sent', async () => {
      answer = accept
      await open()
      await page.getByLabel('Stay logged in').check()
      await submit(PASSPHRASE)
      await page.waitForURL(`${server.origin}/blocked`)
      expect(server.posted).to.have.lengthOf(1)
      expect(Object.fromEntries(server.posted[0]!)).to.deep.equal({
        csrf_token: 'c'.repeat(32),
        redirect: '',
        'trusted-device-token': '',
        email_verified_code: '',
        passphrase: DERIVED,
        'long-run-session': 'true',
      })
    })

    it('sends what was typed, too, for an owner whose hash was imported', async () => {
      answer = accept
      await page.goto(`${server.origin}/login-import`)
      expect(await page.getByText('never leaves this browser').count()).to.equal(0)
      await submit(PASSPHRASE)
      await page.waitForURL(`${server.origin}/blocked`)
      expect(Object.fromEntries(server.posted[0]!)).to.include({
        passphrase: DERIVED,
        passphrase_raw: PASSPHRASE,
      })
    })

    it('says what is wrong beside the field, empties it and moves there', async () => {
      answer = refuse(401, 'invalid_passphrase')
      await open()
      await submit('not the passphrase')
      await page.getByText('Wrong passphrase. Try again.').waitFor()
      const field = page.getByLabel('Passphrase', { exact: true })
      expect(await field.inputValue()).to.equal('')
      expect(await field.getAttribute('aria-invalid')).to.equal('true')
      expect(await field.evaluate((input) => input === document.activeElement)).to.equal(true)
      const button = page.getByRole('button', { name: 'Log in', exact: true })
      await button.and(page.locator(':enabled')).waitFor()
      const { border, outline, offset, danger, focus } = await page.evaluate(() => {
        const box = document.querySelector('.field__box')!
        const style = getComputedStyle(box)
        const probe = document.createElement('p')
        document.body.append(probe)
        const colour = (name: string): string => {
          probe.style.setProperty('color', `var(${name})`)
          return getComputedStyle(probe).color
        }
        return {
          border: style.borderTopColor,
          outline: style.outlineColor,
          offset: Number.parseFloat(style.outlineOffset),
          danger: colour('--color-danger'),
          focus: colour('--color-focus'),
        }
      })
      expect(border, 'the border says that it is wrong').to.equal(danger)
      expect(outline, 'the ring says where one types').to.equal(focus)
      expect(offset, 'pixels between the two').to.be.at.least(1)
    })

    it('says how long to wait', async () => {
      answer = refuse(429, 'rate_limited', { 'Retry-After': '840' })
      await open()
      await submit(PASSPHRASE)
      await page.getByText('Too many attempts. Wait 14 min, then try again.').waitFor()
    })

    it('says so when the server is gone', async () => {
      answer = (ctx) => {
        ctx.respond = false
        ctx.req.socket.destroy()
      }
      await open()
      await submit(PASSPHRASE)
      await page.getByText('The server cannot be reached.').waitFor()
    })

    it('asks for a passphrase without sending anything', async () => {
      answer = accept
      await open()
      await page.getByRole('button', { name: 'Log in', exact: true }).click()
      await page.getByText('Type your passphrase.').waitFor()
      expect(server.posted).to.have.lengthOf(0)
    })

    it('is busy at once and takes a second press for none', async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      answer = async (ctx) => {
        await promise
        accept(ctx)
      }
      await open()
      await submit(PASSPHRASE)
      const button = page.getByRole('button', { name: 'Logging in…' })
      await button.waitFor()
      expect(await button.isDisabled()).to.equal(true)
      await page.getByLabel('Passphrase', { exact: true }).press('Enter')
      resolve()
      await page.waitForURL(`${server.origin}/blocked`)
      expect(server.posted).to.have.lengthOf(1)
    })

    it('keeps the place in an app that sent the owner here', async () => {
      answer = accept
      await open('?x=1#/folder/7')
      await page
        .locator('input[name=redirect]')
        .evaluate((input: HTMLInputElement) => (input.value = 'drive/#old'))
      await submit(PASSPHRASE)
      await page.waitForURL(`${server.origin}/blocked`)
      expect(server.posted[0]!.get('redirect')).to.equal('drive/#/folder/7')
    })

    it('shows and hides the passphrase, and hides it when sent', async () => {
      answer = refuse(401, 'invalid_passphrase')
      await open()
      const field = page.getByLabel('Passphrase', { exact: true })
      await field.fill(PASSPHRASE)
      await page.getByRole('button', { name: 'Show the passphrase' }).click()
      expect(await field.getAttribute('type')).to.equal('text')
      await page.getByRole('button', { name: 'Log in', exact: true }).click()
      await page.getByRole('button', { name: 'Show the passphrase' }).waitFor()
      expect(await field.getAttribute('type')).to.equal('password')
    })

    it('cannot be sent without a script, and says why', async () => {
      const context = await browser.newContext({ javaScriptEnabled: false })
      const plain = await context.newPage()
      await plain.goto(`${server.origin}/login`)
      expect(
        await plain.getByRole('button', { name: 'Log in', exact: true }).isDisabled(),
      ).to.equal(true)
      expect(await plain.locator('main').innerText()).to.include('This page needs JavaScript')
      await plain.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE)
      await plain.getByLabel('Passphrase', { exact: true }).press('Enter')
      expect(server.posted).to.have.lengthOf(0)
      await context.close()
    })

    it('cannot be sent where the browser withholds its cryptography, and says why', async () => {
      await page.addInitScript(() =>
        Object.defineProperty(crypto, 'subtle', { get: () => undefined }),
      )
      await open()
      await page.getByText('Open its address with https.').waitFor()
      expect(await page.getByRole('button', { name: 'Log in', exact: true }).isDisabled()).to.equal(
        true,
      )
    })
  })

  describe('choose a passphrase', () => {
    const open = (): Promise<unknown> => page.goto(`${server.origin}/choose`)
    const submit = (): Promise<void> => page.getByRole('button', { name: 'Set passphrase' }).click()
    const field = () => page.getByLabel('Passphrase', { exact: true })

    it('sends what was derived with 650 000 iterations, the hint and the token', async () => {
      answer = accept
      await open()
      await field().fill(CHOSEN)
      await page.getByText('Strong', { exact: true }).waitFor()
      await page.getByLabel('Reminder').fill('the comic')
      await submit()
      await page.waitForURL(`${server.origin}/blocked`)
      expect(Object.fromEntries(server.posted[0]!)).to.deep.equal({
        csrf_token: 'c'.repeat(32),
        register_token: '0123456789abcdef0123456789abcdef',
        redirection: '',
        iterations: '650000',
        passphrase: DERIVED_NEW,
        hint: 'the comic',
      })
    })

    const refused: readonly [passphrase: string, hint: string, message: string][] = [
      ['', '', 'Type the passphrase you want.'],
      ['secret', '', 'Choose a stronger passphrase: add a few words.'],
      ['correct horse battery staple', '', 'Choose another passphrase: many people know this one.'],
      ['Alice Martin, alice.example.com', '', 'Choose another passphrase: people try your name'],
      ['azertyuiop azertyuiop azertyuiop', '', 'Choose another passphrase: repetitions, dates'],
      [CHOSEN, CHOSEN, 'The reminder must not be the passphrase, or contain it.'],
      [CHOSEN, `it is ${CHOSEN}`, 'The reminder must not be the passphrase, or contain it.'],
    ]
    for (const [passphrase, hint, message] of refused) {
      it(`refuses "${passphrase}" with the reminder "${hint}"`, async () => {
        answer = accept
        await open()
        await field().fill(passphrase)
        await page.getByLabel('Reminder').fill(hint)
        await submit()
        await page.getByText(message).waitFor()
        expect(server.posted).to.have.lengthOf(0)
      })
    }

    it('shows how strong the passphrase is while it is typed', async () => {
      await open()
      await field().fill('secret')
      await page.getByText('Weak: add a few words').waitFor()
      await field().fill('plume cadran hibou')
      await page.getByText('Good: longer is even better').waitFor()
      await field().fill('correct horse battery staple')
      await page.getByText('Weak: many people know it').waitFor()
      await field().fill('Alice Martin, alice.example.com')
      await page.getByText('Weak: your name and address are tried first').waitFor()
      await field().fill('azertyuiop azertyuiop azertyuiop')
      await page.getByText('Weak: it follows a pattern').waitFor()
      await field().fill(CHOSEN)
      await page.getByText('Strong', { exact: true }).waitFor()
    })

    it('judges by what is known of passphrases, however soon it is sent', async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      await page.route('**/guesses.js', async (route) => {
        await promise
        await route.continue()
      })
      await open()
      await field().fill('correct horse battery staple')
      await page.getByText('Strong', { exact: true }).waitFor()
      await submit()
      resolve()
      await page.getByText('Choose another passphrase: many people know this one.').waitFor()
      expect(server.posted).to.have.lengthOf(0)
    })

    it('counts characters alone where the rest does not load', async () => {
      answer = accept
      await page.route('**/guesses.js', (route) => route.abort())
      await open()
      await field().fill('secret')
      await submit()
      await page.getByText('Choose a stronger passphrase: add a few words.').waitFor()
      await field().fill(CHOSEN)
      await submit()
      await page.waitForURL(`${server.origin}/blocked`)
    })

    it('keeps what was typed when the server refuses', async () => {
      answer = refuse(400, 'invalid_parameter')
      await open()
      await field().fill(CHOSEN)
      await page.getByLabel('Reminder').fill('the comic')
      await submit()
      await page.getByText('The passphrase is empty or too long.').waitFor()
      expect(await page.getByLabel('Reminder').inputValue()).to.equal('the comic')
    })
  })

  describe('allow', () => {
    it('is sent once by the browser itself, and stays when another program takes over', async () => {
      // What a redirect to the scheme of another program looks like: the page does not go away.
      answer = (ctx) => {
        ctx.status = 204
      }
      await page.goto(`${server.origin}/consent`)
      const target = page.locator('#consent input[name="redirect_uri"]')
      await target.evaluate((input: HTMLInputElement) => {
        input.value = 'quillapp://callback'
      })
      await page.locator('#consent [type=submit]').click()
      const button = page.getByRole('button', { name: 'Allowing…' })
      await button.waitFor()
      expect(await button.isDisabled()).to.equal(true)
      await page.locator('#consent').evaluate((form: HTMLFormElement) => form.requestSubmit())
      expect(server.posted).to.have.lengthOf(1)
      expect(server.posted[0]!.get('client_id')).to.equal('b1946ac92492d2347c6235b4d2611184')
    })
  })
})

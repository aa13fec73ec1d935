import { expect } from 'chai'
import { suiteBrowser, suiteHost } from '../support/for-test.ts'
import { type OwnerVisit, PASSPHRASE, totpCode, visitOwner } from '../support/owner-visit.ts'

describe('settings app of the host, in a browser', function () {
  this.timeout(60_000)
  const host = suiteHost({}, 'first.localhost')
  const browser = suiteBrowser(host)
  let owner: OwnerVisit
  let count = 0
  beforeEach(async () => {
    count += 1
    owner = await visitOwner(host, browser, `owner${count}.localhost`)
  })
  afterEach(async () => {
    expect(owner.faults).to.deep.equal([])
    await owner.close()
  })

  const open = (section: string) => owner.page.goto(`${owner.app('settings')}/#${section}`)
  const button = (name: string | RegExp) => owner.page.getByRole('button', { name, exact: true })
  const dialogButton = (name: string) =>
    owner.page.getByRole('dialog').getByRole('button', { name, exact: true })
  const heading = (name: string) => owner.page.getByRole('heading', { name, exact: true })
  const said = (text: string) => owner.page.locator('#done').filter({ hasText: text }).waitFor()
  const factor = (kind: string) => owner.page.locator(`[data-factor=${kind}]`)

  async function setUpApp(): Promise<void> {
    await open('security')
    await button('Set up the app').click()
    await owner.confirm()
    await heading('Set up an authenticator app').waitFor()
    const key = await owner.page.locator('.secret').innerText()
    await owner.page.getByLabel('Code from the app').fill(totpCode(key, Date.now()))
    await button('Turn it on').click()
    await keepCodes()
  }

  /** @returns the codes that an app which stands alone is turned on with */
  async function keepCodes(): Promise<readonly string[]> {
    await heading('Save your recovery codes').waitFor()
    const codes = await owner.page.locator('.codes code').allInnerTexts()
    expect(codes).to.have.lengthOf(10)
    await button('I’ve saved them: turn the app on').click()
    await said('Authenticator app added. Keep your recovery codes')
    return codes
  }

  it('turns the app on only once its recovery codes are kept, and none beside mailed codes', async () => {
    await open('security')
    await button('Set up the app').click()
    await owner.confirm()
    const code = owner.page.getByLabel('Code from the app')
    await code.fill(totpCode(await owner.page.locator('.secret').innerText(), Date.now()))
    await button('Turn it on').click()
    await heading('Save your recovery codes').waitFor()
    await owner.page.getByText('Prefer codes by email as a fallback?').waitFor()
    await button('Cancel').click()
    await owner.page.getByText('You log in with the passphrase only.').waitFor()
    await factor('mail').getByRole('button', { name: 'Turn on' }).click()
    // The field comes when the code is on its way.
    const first = owner.page.getByLabel('Code from the email')
    await first.waitFor()
    await first.fill(await owner.mailed(/./, /\b(\d{6})\b/))
    await button('Turn it on').click()
    await said('Codes by email are on.')
    await button('Set up the app').click()
    await code.fill(totpCode(await owner.page.locator('.secret').innerText(), Date.now()))
    await button('Turn it on').click()
    await said('Authenticator app added.')
    await factor('recovery').getByRole('button', { name: 'Create recovery codes' }).waitFor()
  })

  it('says what is wrong with a code beside the field, and takes the right one after it', async () => {
    await open('security')
    await button('Set up the app').click()
    await owner.confirm()
    const code = owner.page.getByLabel('Code from the app')
    await code.waitFor()
    const key = await owner.page.locator('.secret').innerText()
    await button('Turn it on').click()
    await owner.page.getByText('Type the code.').waitFor()
    const right = totpCode(key, Date.now())
    await code.fill(right === '000000' ? '000001' : '000000')
    await button('Turn it on').click()
    await owner.page.getByText('That code didn’t work.').waitFor()
    expect(await code.getAttribute('aria-invalid')).to.equal('true')
    await code.fill(totpCode(key, Date.now()))
    await owner.page.keyboard.press('Enter')
    await keepCodes()
  })

  it('shows ten recovery codes once, copies them, and counts them afterwards', async () => {
    await owner.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await setUpApp()
    await button('Create new codes').click()
    await dialogButton('Create new codes').click()
    await heading('Your recovery codes').waitFor()
    const codes = await owner.page.locator('.codes code').allInnerTexts()
    expect(codes).to.have.lengthOf(10)
    for (const code of codes) expect(code).to.match(/^[a-z0-9]{5}-[a-z0-9]{5}$/)
    await button('Copy the codes').click()
    await owner.page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await owner.page.evaluate(() => navigator.clipboard.readText())).to.equal(
      codes.join('\n'),
    )
    const [file] = await Promise.all([
      owner.page.waitForEvent('download'),
      button('Save as a file').click(),
    ])
    expect(file.suggestedFilename()).to.equal(`${owner.instance.domain}-recovery-codes.txt`)
    await button('I’ve saved them').click()
    await said('New recovery codes are ready.')
    await factor('recovery').getByText('10 codes left').waitFor()
    expect(await owner.page.content()).to.not.include(codes[0])
  })

  it('names what the last way takes along, and turns everything off', async () => {
    await setUpApp()
    await button('Remove the authenticator app').click()
    const dialog = owner.page.getByRole('dialog')
    expect(await dialog.innerText())
      .to.include('This turns the second step off')
      .and.include('the codes of the authenticator app')
      .and.include('the 10 recovery codes that are left')
      .and.include('the devices that skip the second step')
    await dialogButton('Remove').click()
    await said('The authenticator app is removed.')
    await owner.page.getByText('You log in with the passphrase only.').waitFor()
  })

  it('changes the passphrase, stays logged in and goes on working', async () => {
    const other = await host.host.app.ui.owners.createSession(owner.instance)
    await open('passphrase')
    await owner.page.getByLabel('Current passphrase', { exact: true }).fill('wrong one')
    await owner.page.getByLabel('New passphrase', { exact: true }).fill('four other words entirely')
    await button('Change the passphrase').click()
    await owner.page.getByText('Wrong passphrase. Try again.').waitFor()
    await owner.page.getByLabel('Current passphrase', { exact: true }).fill(PASSPHRASE)
    await button('Change the passphrase').click()
    await said('Your passphrase is changed.')
    const sessions = await host.host.app.ui.owners.listSessions(owner.instance)
    expect(sessions.map(({ id }) => id)).to.not.include(other.session.id)
    await owner.page.getByRole('link', { name: 'Devices' }).click()
    await owner.page.getByText('This device').waitFor()
  })

  it('refuses a weak passphrase and a reminder that gives it away, before anything is sent', async () => {
    await open('passphrase')
    await owner.page.getByLabel('Current passphrase', { exact: true }).fill(PASSPHRASE)
    await owner.page.getByLabel('New passphrase', { exact: true }).fill('secret')
    await owner.page.getByText('Weak: add a few words').waitFor()
    await button('Change the passphrase').click()
    await owner.page.getByText('Choose a stronger passphrase').waitFor()
    await owner.page.getByLabel('New passphrase', { exact: true }).fill('four other words entirely')
    await owner.page.getByLabel('Reminder (optional)').fill('Four other WORDS entirely')
    await button('Change the passphrase').click()
    await owner.page.getByText('The reminder must not be the passphrase').waitFor()
  })

  it('lets an owner who logs in by mail choose a first passphrase', async () => {
    const { app } = host.host
    const { instance } = await app.ui.owners.createInstance(
      { domain: `mail${count}.localhost`, email: 'alice@mail.example' },
      undefined,
      { magicLink: true },
    )
    await app.apps.install(instance, 'settings')
    const { cookie } = await app.ui.owners.createSession(instance)
    await owner.context.addCookies([
      { name: cookie.name, value: cookie.value, domain: `.${instance.domain}`, path: '/' },
    ])
    await owner.page.goto(`http://settings.${instance.domain}/#passphrase`)
    await heading('Choose a passphrase').waitFor()
    expect(await owner.page.getByLabel('Current passphrase').count()).to.equal(0)
    await owner.page.getByLabel('New passphrase', { exact: true }).fill('four other words entirely')
    await button('Set the passphrase').click()
    await said('Your passphrase is set.')
    await button('Change the passphrase').waitFor()
  })

  it('saves and removes a reminder, whose text is never shown', async () => {
    await open('security')
    await owner.page.getByText('You have no reminder.').waitFor()
    await open('hint')
    await owner.page.getByLabel('New reminder').fill('the field behind the house')
    await button('Save the reminder').click()
    await said('The reminder is saved.')
    await owner.page.getByText('You have a reminder.').waitFor()
    expect(await owner.page.content()).to.not.include('behind the house')
    await button('Change the reminder').click()
    await owner.page.getByLabel('New reminder').fill(PASSPHRASE)
    await button('Save the reminder').click()
    await owner.page.getByText('The reminder must not be the passphrase, nor').waitFor()
    await button('Remove the reminder').click()
    await said('The reminder is removed.')
    await owner.page.getByText('You have no reminder.').waitFor()
  })

  it('takes no confirmation that this tab did not ask for', async () => {
    const query = new URLSearchParams({ code: 'a'.repeat(32), state: 'somebody' })
    await owner.page.goto(`${owner.app('settings')}/?${query}#factors`)
    await owner.page.getByText('You log in with the passphrase only.').waitFor()
    expect(new URL(owner.page.url()).search).to.equal('')
    await button('Set up the app').click()
    await owner.page.waitForURL((url) => url.pathname === '/auth/confirm')
  })

  it('sets an authenticator app up by keyboard alone', async () => {
    const { page } = owner
    const focused = (): Promise<string> =>
      // What is seen of it: the menu says more where it is a page.
      page.evaluate(() => {
        const { activeElement: at } = document
        return at instanceof HTMLElement ? at.innerText.trim() : ''
      })
    const tabTo = async (text: string): Promise<void> => {
      for (let presses = 0; presses < 30; presses += 1) {
        await page.keyboard.press('Tab')
        if ((await focused()) === text) return
      }
      throw new Error(`${text} is not reached by Tab`)
    }
    await page.goto(`${owner.app('settings')}/`)
    await page.getByText('Security check-up').waitFor()
    await tabTo('Login and security')
    await page.keyboard.press('Enter')
    await button('Set up the app').waitFor()
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('title')
    await tabTo('Set up the app')
    await page.keyboard.press('Enter')
    await owner.confirm()
    await heading('Set up an authenticator app').waitFor()
    await tabTo('Copy the key')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('code')
    await page.keyboard.type(totpCode(await page.locator('.secret').innerText(), Date.now()))
    await page.keyboard.press('Enter')
    await heading('Save your recovery codes').waitFor()
    await tabTo('I’ve saved them: turn the app on')
    await page.keyboard.press('Enter')
    await said('Authenticator app added.')
  })
})

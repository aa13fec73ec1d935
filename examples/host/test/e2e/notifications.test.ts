import { axeFaults, loopbackFetch } from '@svc/testkit'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { createToldOwner, type ToldOwner } from '../support/told-owner.ts'
import type { TourOwner } from '../support/tour-owner.ts'
import { journeys, NESTED, suiteTour, TWO_PROCESSES } from '../support/tour-stage.ts'
import { tourSteps, type TourSteps } from '../support/tour-steps.ts'

for (const run of journeys(NESTED, TWO_PROCESSES)) {
  describe(`what an app tells its owner: ${run.name}`, function () {
    this.timeout(60_000)
    const stage = suiteTour(run)
    let owner: TourOwner
    let told: ToldOwner
    /** The owner's start page, and the safe in another browser. */
    let home: Page
    let safe: Page
    let steps: TourSteps

    before(async () => {
      owner = await stage.owner('told')
      told = createToldOwner(stage.admin, owner, stage.port())
      home = await stage.visit()
      steps = tourSteps(home, owner, stage.texts)
      await steps.logIn()
      await steps.isHome()
      safe = await stage.visit('elsewhere')
      await tourSteps(safe, owner, stage.texts).logIn()
      await safe.waitForURL((url) => url.origin === owner.app('home'))
      await safe.goto(`${owner.app('safe')}/`)
      await safe.locator('#notes[aria-busy=false]').waitFor()
    })

    const texts = () => stage.texts
    const titleOf = (name: string) => texts().safe('remind.notification', { name })

    /** Keeps a note in the safe and wants to be reminded of it; the page's clock is a minute slow, so it is due at once. */
    async function remind(name: string): Promise<void> {
      await safe.clock.setSystemTime(Date.now() - 61_000)
      await safe.locator('#note-title').fill(name)
      await safe.locator('#note-text').fill('Nobody is told what it says.')
      await safe.locator('#add').click()
      const note = safe.locator('.note').filter({ hasText: name })
      await note.getByText(texts().safe('remind'), { exact: true }).click()
      await note.getByRole('button', { name: texts().safe('remind.minute'), exact: true }).click()
      await safe.locator('#done').filter({ hasText: name }).waitFor()
    }

    /** The section of the settings that mails link to. */
    async function openSettings(page = home): Promise<void> {
      await page.goto(`${owner.app('settings')}/?section=notifications`)
      const name = texts().settings('notifications.title')
      await page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
      await page.locator('#content[aria-busy=false] .sender').first().waitFor()
    }

    const sender = (page = home) => page.locator('[data-source="io.svc.apps/safe"]')
    const channel = (name: string, page = home) =>
      sender(page)
        .locator('[data-category=reminders]')
        .getByLabel(texts().settings(`channel.${name}`), { exact: true })
    const isSaved = () =>
      sender()
        .locator('.sender__said')
        .filter({ hasText: texts().settings('notifications.saved') })
        .waitFor()
    const inbox = (name: string) =>
      home.locator('#inbox-list > li').filter({ hasText: titleOf(name) })

    it('comes as a push to the phone of that app, without the secret, and without a mail', async () => {
      await told.addDevice('registry://safe', 'Safe on a phone')
      await remind('Passport')
      await told.isTold(
        titleOf('Passport'),
        ({ status, channel: way }) => status === 'sent' && way === 'mobile',
      )
      const [push] = await told.pushes()
      expect(push).to.include({
        kind: 'push',
        device: 'Safe on a phone',
        title: titleOf('Passport'),
      })
      expect(push?.data).to.include({ redirectLink: 'safe/#/' })
      expect(JSON.stringify(push)).not.to.include('Nobody is told')
      expect(await owner.countMails('notification')).to.equal(0)
      const { stdout } = await stage.svc('outbox', owner.domain)
      expect(stdout).to.include(titleOf('Passport'))
    })

    it('is in the inbox of the start page as it comes, counted, and leads to the app', async () => {
      await home.locator('#bell-count').filter({ hasText: '1' }).waitFor()
      await home.locator('#bell').click()
      await inbox('Passport').waitFor()
      await remind('Tickets')
      await inbox('Tickets').waitFor()
      await home.locator('#bell-count').filter({ hasText: '2' }).waitFor()
      expect(await axeFaults(home)).to.deep.equal([])

      await inbox('Tickets')
        .getByRole('button', {
          name: texts().home('inbox.read.label', { name: titleOf('Tickets') }),
        })
        .click()
      await home.locator('#bell-count').filter({ hasText: '1' }).waitFor()
      await inbox('Tickets')
        .getByRole('button', {
          name: texts().home('inbox.archive.label', { name: titleOf('Tickets') }),
        })
        .click()
      await inbox('Tickets').waitFor({ state: 'detached' })
      await steps.button(texts().home('inbox.readAll')).click()
      await home.locator('#bell-count:empty').waitFor({ state: 'attached' })
      await inbox('Passport')
        .getByRole('link', {
          name: texts().home('inbox.open.label', { name: titleOf('Passport') }),
        })
        .click()
      await home.waitForURL((url) => url.origin === owner.app('safe'))
    })

    it('comes by mail once devices are off in the settings, and the mail leads back there', async () => {
      await openSettings()
      expect(await axeFaults(home)).to.deep.equal([])
      await channel('mobile').uncheck()
      await isSaved()
      await remind('Rent')
      await told.isTold(
        titleOf('Rent'),
        ({ status, channel: way }) => status === 'sent' && way === 'mail',
      )
      const link = await owner.mailed('notification', /\S+\?section=notifications/)
      await home.goto(link)
      await home.locator('#content[aria-busy=false] .sender').first().waitFor()
      expect(await channel('mobile').isChecked()).to.equal(false)
      expect(await channel('mail').isChecked()).to.equal(true)
    })

    it('is skipped while its app is muted', async () => {
      await openSettings()
      await sender().getByLabel(texts().settings('mute.label')).selectOption('hour')
      await isSaved()
      await remind('Dentist')
      await told.isTold(
        titleOf('Dentist'),
        ({ status, reason }) => status === 'skipped' && reason === 'muted',
      )
      await home.reload()
      await home.locator('#content[aria-busy=false] .sender').first().waitFor()
      await sender().getByLabel(texts().settings('mute.label')).selectOption('')
      await isSaved()
    })

    it('waits while it is quiet, in the zone of the owner', async () => {
      await openSettings()
      await home.locator('#quiet-start').fill(clockTime(-1))
      await home.locator('#quiet-end').fill(clockTime(1))
      await home.locator('#quiet-zone').fill('Nowhere/City')
      await steps.button(texts().settings('quiet.save')).click()
      await home
        .locator('#quiet-zone-error')
        .filter({ hasText: texts().settings('quiet.zone.unknown') })
        .waitFor()
      await home.locator('#quiet-zone').fill('Etc/UTC')
      await steps.button(texts().settings('quiet.save')).click()
      await steps.isDone(
        texts().settings('quiet.saved', { start: clockTime(-1), end: clockTime(1) }),
      )
      await remind('Flowers')
      const end = new Date().setUTCHours(new Date().getUTCHours() + 1, 0, 0, 0) - 60_000
      await told.isTold(
        titleOf('Flowers'),
        ({ status, due_at: due }) => status === 'queued' && Date.parse(due ?? '') >= end,
      )
      await steps.button(texts().settings('quiet.off')).click()
      await steps.isDone(texts().settings('quiet.ended'))
    })

    it('ends by one click in a mail program, without cookies, and by the page behind the link', async () => {
      await remind('Garden')
      await told.isTold(
        titleOf('Garden'),
        ({ status, channel: way }) => status === 'sent' && way === 'mail',
      )
      const link = await owner.mailed('notification', /http\S+\/notifications\/unsubscribe\?t=\S+/)
      const page = await stage.visit()
      await page.goto(link)
      await page.locator('main form button[type=submit]').waitFor()
      expect(await axeFaults(page)).to.deep.equal([])
      await openSettings()
      expect(await channel('mail').isChecked(), 'looking at it changes nothing').to.equal(true)

      const oneClick = await loopbackFetch({ port: stage.port('elsewhere') })(link, {
        method: 'POST',
        body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
      })
      expect(oneClick.status).to.equal(200)
      expect(oneClick.headers.get('set-cookie')).to.equal(null)
      await openSettings()
      expect(await channel('mail').isChecked()).to.equal(false)
      await channel('mail').check()
      await isSaved()

      await page.locator('main form button[type=submit]').click()
      await page.getByRole('heading', { level: 1 }).waitFor()
      await openSettings()
      expect(await channel('mail').isChecked(), 'the button of the page').to.equal(false)
    })
  })
}

/** The time of day in UTC, some hours from now, on the hour. */
function clockTime(hours: number): string {
  const time = new Date(Date.now() + hours * 3_600_000)
  return `${String(time.getUTCHours()).padStart(2, '0')}:00`
}

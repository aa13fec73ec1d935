import { takeShot } from '@svc/testkit'
import { expect } from 'chai'
import { openRequest } from '../support/client-request.ts'
import { openClientSocket } from '../support/client-socket.ts'
import { FLAT_FR, journeys, NESTED, suiteTour, TWO_PROCESSES } from '../support/tour-stage.ts'
import { tourSteps } from '../support/tour-steps.ts'

const CONTACTS = '/data/io.svc.contacts'
const NAME = 'Address Book'

for (const run of journeys(TWO_PROCESSES, NESTED, FLAT_FR)) {
  describe(`the main job: ${run.name}`, function () {
    this.timeout(90_000)
    const tour = suiteTour(run)

    it('goes from the onboarding link to a token, and from there to its end', async () => {
      const { ui, settings } = tour.texts
      const owner = await tour.owner('alice', { isOnboarded: false })
      const page = await tour.visit()
      const steps = tourSteps(page, owner, tour.texts)
      const shot = (step: string): Promise<void> =>
        takeShot(page, `main-job-${run.store}-${run.subdomains}-${step}`)
      await page.goto(owner.onboardingUrl)
      await page.getByLabel(ui('choose.passphrase'), { exact: true }).fill(owner.passphrase)
      await shot('1-onboarding')
      await steps.button(ui('choose.submit')).click()
      await steps.isHome()
      await shot('2-home')
      const scope = 'io.svc.contacts:GET,POST'
      const request = await openRequest(owner.origin, tour.port(), { name: NAME, scope })
      await page.goto(request.url)
      await page.getByRole('heading', { name: ui('consent.title', { name: NAME }) }).waitFor()
      await shot('3-consent')
      await steps.allowButton().click()
      const tokens = await request.isAnswered()
      const json = { name: 'Bob' }
      const made = await request.call(tokens.access_token, CONTACTS, { method: 'POST', json })
      expect(made).to.equal(201)
      const listed = await request.send(tokens.access_token, CONTACTS)
      const { documents } = (await listed.json()) as { documents: { name: string }[] } // of /data
      expect(documents.map((each) => each.name)).to.deep.equal(['Bob'])
      const { access_token: token } = await request.refresh(tokens.refresh_token ?? '')
      const elsewhere = { port: tour.port('elsewhere') }
      expect(await request.call(token, CONTACTS, elsewhere)).to.equal(200)
      const kept = await openRequest(owner.origin, tour.port(), { name: 'Backup' })
      await page.goto(kept.url)
      await steps.allowButton().click()
      const others = await kept.isAnswered()
      const there = { ...elsewhere, domain: owner.domain }
      const socket = await openClientSocket(there, token, 'io.svc.contacts')
      await steps.openSettings('apps')
      const row = page.locator('.item').filter({ hasText: NAME })
      await row.getByText(settings('clients.may'), { exact: true }).click()
      await shot('4-settings')
      await steps.button(settings('clients.revoke.label', { name: NAME })).click()
      await shot('5-revoke')
      expect(await page.getByRole('dialog').innerText(), 'what is lost').to.include(
        ui('doctype.contacts'),
      )
      const answered = page.waitForResponse(
        (response) => response.request().method() === 'DELETE' && response.status() === 204,
      )
      await steps.button(settings('clients.revoke.confirm'), page.getByRole('dialog')).click()
      await answered
      await request.untilEnded(token, CONTACTS, elsewhere)
      await socket.isCut()
      await row.waitFor({ state: 'detached' })
      expect(await kept.call(others.access_token, CONTACTS, elsewhere)).to.equal(200)
      await shot('6-revoked')
      const refusal = await request.refresh(tokens.refresh_token ?? '').then(
        () => 'refreshed',
        (error: { status?: number }) => error.status,
      )
      expect(refusal, 'the refresh after the end').to.equal(401)
      await page.context().close()
    })
  })
}

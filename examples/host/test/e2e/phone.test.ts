import { until } from '@svc/testkit'
import { expect } from 'chai'
import { suiteBrowser, suiteHost } from '../support/for-test.ts'
import { type OwnerVisit, visitOwner } from '../support/owner-visit.ts'

const NUMBER = '+33612345678'

describe('the phone number in the settings, in a browser', function () {
  this.timeout(60_000)
  const host = suiteHost({}, 'first.localhost')
  const browser = suiteBrowser(host)
  let owner: OwnerVisit
  before(async () => {
    owner = await visitOwner(host, browser, 'phone.localhost')
  })

  async function texts(): Promise<readonly { readonly number: string; readonly text: string }[]> {
    const kept = (await host.host.app.outbox?.list(owner.instance)) ?? []
    return kept.flatMap(({ item }) => (item.kind === 'text' ? [item] : []))
  }

  it('is proven with the code of a text, gets texts of notifications, and is removed', async () => {
    const { page } = owner
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const said = (text: string) => page.locator('#done').filter({ hasText: text }).waitFor()
    await page.goto(`${owner.app('settings')}/#/profile`)
    await button('Add a phone number').click()
    await owner.confirm()
    await page.getByLabel('Phone number', { exact: true }).fill('06 12 34 56 78')
    await button('Send the code').click()
    await page.getByRole('alert').filter({ hasText: 'Begin with +' }).waitFor()
    await page.getByLabel('Phone number', { exact: true }).fill('+33 6 12 34 56 78')
    await button('Send the code').click()
    const field = page.getByLabel('Code from the text message')
    await field.waitFor()
    const [text] = await texts()
    expect(text?.number).to.equal(NUMBER)
    const code = /^\d{6}/.exec(text?.text ?? '')?.[0] ?? ''
    await page.goto(`${owner.app('settings')}/#/profile?again`)
    await page.reload()
    await button('Confirm this number').click()
    await field.fill(code === '000000' ? '000001' : '000000')
    await button('Confirm').click()
    await page.getByRole('alert').filter({ hasText: 'That code didn’t work.' }).waitFor()
    await field.fill(code)
    await button('Confirm').click()
    await said('Your phone number is confirmed.')
    const { notify, phones } = host.host.app
    expect(await phones.contactOf(owner.instance)).to.deep.equal({ phone: NUMBER })
    await notify.post(owner.instance, {
      originator: 'cli',
      category: 'news',
      declaration: { description: 'News', default_priority: 'high' },
      title: 'Title',
      message: 'Told by text',
      preferredChannels: ['sms'],
    })
    const [told] = await until(async () => {
      const sent = await texts()
      return sent.length < 2 ? undefined : sent
    })
    expect(told).to.include({ number: NUMBER, text: 'Told by text' })
    await button('Remove the number').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the number' }).click()
    await said('Your phone number was removed.')
    expect(await phones.phone(owner.instance)).to.equal(undefined)
    await button('Add a phone number').waitFor()
    expect(owner.faults).to.deep.equal([])
  })
})

import { MINUTE_MS } from '@svc/platform'
import { expect } from 'chai'
import { CLIENT_NAME } from '../support/client-request.ts'
import { type DeadEndStage, openDeadEnds } from '../support/dead-end-stage.ts'
import { type PageWatch, watchPages } from '../support/tour-watch.ts'

describe('a client that was allowed something for an hour', function () {
  this.timeout(60_000)
  let stage: DeadEndStage
  let watch: PageWatch

  before(async function () {
    stage = await openDeadEnds(this)
    watch = watchPages()
  })
  after(() => stage?.close())

  it('works until the hour is over, and is refused from then on', async () => {
    const { tab, request, context } = await stage.visit()
    await watch.add(context)
    await tab.givePassphrase()
    await tab.isAsked()
    await tab.page.getByLabel(stage.texts.ui('consent.for'), { exact: true }).selectOption('1h')
    await tab.button(stage.texts.ui('consent.allow.1h')).click()
    const first = await request.isAnswered()
    stage.clock.advance(50 * MINUTE_MS)
    const last = await request.refresh(first.refresh_token ?? '')
    expect(last.expires_in, 'seconds that are left of the hour').to.be.within(500, 600)
    expect(await request.call(last.access_token, '/data/io.svc.contacts')).to.equal(200)
    // Ends are whole seconds.
    stage.clock.advance(10 * MINUTE_MS + 1000)
    for (const { access_token: token } of [first, last])
      expect(await request.call(token, '/data/io.svc.contacts')).to.equal(401)
    const refusal = await request.refresh(last.refresh_token ?? '').then(
      () => 'refreshed',
      ({ error }: { error?: string }) => error,
    )
    expect(refusal).to.equal('invalid_grant')

    const { settings } = stage.texts
    await tab.logIn()
    await tab.isHome()
    await tab.openSettings('apps')
    const card = tab.page.locator('#content .item').filter({ hasText: CLIENT_NAME })
    await card.getByText(settings('clients.may'), { exact: true }).click()
    await card.getByText(settings('clients.nothing'), { exact: true }).waitFor()
    expect(await card.innerText()).to.not.include(settings('access.lasting'))
    expect(watch.take(), 'what went wrong in pages').to.deep.equal([])
  })
})

import { suiteDeadEnds } from '../support/dead-end-stage.ts'

describe('no dead end where the server is killed and started again', function () {
  this.timeout(90_000)
  const stage = suiteDeadEnds({ isProcess: true })

  it('between passphrase and code', async () => {
    const visit = await stage.visit({ hasSecondStep: true })
    await visit.tab.givePassphrase()
    await visit.tab.isAskedMore()
    const code = await visit.passcode()
    await stage.restart()
    await visit.tab.giveCode(code)
    await visit.tab.finish()
  })

  it('with the consent page open', async () => {
    const { tab } = await stage.visit()
    await tab.givePassphrase()
    await tab.isAsked()
    await stage.restart()
    await tab.finish()
  })

  it('with the login form open, which is sent while nobody answers', async () => {
    const { tab } = await stage.visit()
    await stage.restart(async () => {
      await tab.givePassphrase()
      await tab.page.getByText(stage.texts.ui('page.offline')).waitFor()
    })
    await tab.givePassphrase()
    await tab.finish()
  })
})

import { formsOf } from '../../drivers/browser.ts'
import type { World } from '../../world/world.ts'
import { HINT } from '../../world/onboarding.ts'
import type { Scenario } from '../group.ts'

const CROSS = { Origin: 'https://evil.contract.example', 'Sec-Fetch-Site': 'cross-site' }
const EVIL = 'https://evil.contract.example/'
const RENEW = /https?:\/\/\S+\/auth\/passphrase_renew\?\S+/

/** Looks at the forms without asking for anything. */
export const forms: Scenario = {
  id: 'way.forms',
  needs: ['pages'],
  async run(world) {
    const browser = world.browser()
    const url = world.url('/auth/passphrase_reset')
    const page = await browser.visit('way.form', url)
    await browser.visit('way.form.hostile', `${url}?redirect=${encodeURIComponent(EVIL)}`)
    await browser.visit('way.form.from', `${url}?from=evil.contract.example`)
    const form = formsOf(page).find(({ action }) => action.includes('passphrase_reset'))
    if (form === undefined) throw new Error('there is no form for a new passphrase')
    await browser.visit('way.reset.no.csrf', url, { method: 'POST', body: 'from=' })
    await browser.submit('way.reset.csrf', page, { csrf_token: 'x'.repeat(32) }, { form })
    await browser.visit('way.renew.wrong', renewUrl(world, '0123456789abcdef0123456789abcdef'))
    await browser.visit('way.renew.none', renewUrl(world, ''))
    await browser.visit('way.renew.broken', renewUrl(world, 'no-token'))
    await world.send('way.hint.cross', '/auth/hint', { method: 'POST', form: {}, headers: CROSS })
  },
}

/** Onboards an instance, loses its passphrase, and finds the way back. */
export const waysBack: Scenario = {
  id: 'way.back',
  needs: ['pages', 'apps', 'fresh', 'mailbox'],
  exclusive: 'fresh',
  turn: -1,
  async run(world) {
    const fresh = await world.fresh()
    const owner = await fresh.owner()
    await fresh.send('way.hint', '/auth/hint', { method: 'POST', form: {} })
    await fresh.mail('way.hint.mail', ({ text }) => text.includes(HINT))
    const browser = fresh.browser()
    const form = await browser.visit('way.reset.form', fresh.url('/auth/passphrase_reset'))
    const ask = formsOf(form).find(({ action }) => action.includes('passphrase_reset'))
    if (ask === undefined) throw new Error('there is no form for a new passphrase')
    await browser.submit('way.reset', form, {}, { form: ask })
    const mail = await fresh.mail('way.reset.mail', ({ text }) => RENEW.test(text))
    const [link = fresh.url('/auth/passphrase_renew?token=none')] = RENEW.exec(mail.text) ?? []
    // A second one, as long as the first is good.
    await browser.submit('way.reset.second', form, {}, { form: ask })
    await renew(fresh, link)
    await owner.visit('way.renew.session', fresh.url('/auth/login'))
  },
}

async function renew(fresh: World, link: string): Promise<void> {
  const browser = fresh.browser()
  const page = await browser.visit('way.renew.page', link)
  const passphrase = `another contract ${fresh.random(9)}`
  fresh.secrets.learn('passphrase', passphrase)
  const right = await fresh.driver.passphraseFields(page, passphrase)
  const late = fresh.browser()
  const login = await late.visit('way.renew.login.form', fresh.url('/auth/login'))
  const old = await fresh.driver.passphraseFields(login)
  await browser.visit('way.renew.no.csrf', fresh.url('/auth/passphrase_renew'), {
    method: 'POST',
    body: new URLSearchParams(right).toString(),
  })
  await browser.submit('way.renew.empty', page, { ...right, passphrase: '' })
  await browser.submit('way.renew', page, right)
  await browser.submit('way.renew.again', page, right)
  await browser.visit('way.renew.link.again', link)
  fresh.driver.usePassphrase(passphrase)
  fresh.forgetOwner()
  await late.submit('way.renew.old', login, old)
  const again = fresh.browser()
  const next = await again.visit('way.renew.new.form', fresh.url('/auth/login'))
  await again.submit('way.renew.new', next, await fresh.driver.passphraseFields(next))
}

function renewUrl(world: World, token: string): string {
  return world.url(`/auth/passphrase_renew?token=${token}`)
}

import { formsOf } from '../drivers/browser.ts'
import type { World } from './world.ts'

/** What the owner of a fresh instance wrote down to remember the passphrase. */
export const HINT = 'a reminder of the contract'

/** Chooses the first passphrase of a fresh instance, rightly and wrongly; kept for the checks of ways back. */
export async function onboard(fresh: World, link: string, passphrase: string): Promise<void> {
  const browser = fresh.browser()
  const login = fresh.url('/auth/login')
  const choose = fresh.url('/auth/passphrase')
  await browser.visit('way.before.login', login)
  await fresh.send('way.before.json', '/auth/login', {
    method: 'POST',
    form: { passphrase: 'none' },
  })
  await browser.visit('way.before.wrong', `${choose}?registerToken=${'0'.repeat(32)}`)
  await fresh.send('way.resend', '/auth/onboarding/resend', { method: 'POST', form: {} })
  const page = await browser.visit('way.choose', link)
  const [form] = formsOf(page).filter(({ fields }) =>
    fields.some(({ type }) => type === 'password'),
  )
  if (form === undefined) throw new Error('the onboarding link shows no form')
  const right = { ...(await fresh.driver.passphraseFields(page, passphrase)), hint: HINT }
  await browser.submit(
    'way.onboard.wrong',
    page,
    { ...right, register_token: '0'.repeat(32) },
    { form },
  )
  await browser.submit('way.onboard.cross', page, right, {
    form,
    headers: { Origin: 'https://evil.contract.example', 'Sec-Fetch-Site': 'cross-site' },
  })
  await browser.submit('way.onboard.iterations', page, { ...right, iterations: '1' }, { form })
  await browser.submit('way.onboard', page, right, { form })
  await browser.visit('way.onboard.logged-in', login)
  await fresh.browser().submit('way.onboard.again', page, right, { form })
  await fresh.browser().visit('way.choose.after', link)
  await fresh.send('way.resend.after', '/auth/onboarding/resend', { method: 'POST', form: {} })
}

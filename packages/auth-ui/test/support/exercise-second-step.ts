import { enroll, JSON_ONLY, lastPasscode, passStep1, passStep2, setFactors } from './second-step.ts'
import { createAlice, type UiServer } from './ui-server.ts'

const PATHS = ['/auth/twofactor', '/auth/twofactor/resend'] as const

/** Meets every status of the rows of the second step, on instances of its own. */
export async function exerciseSecondStep(server: UiServer): Promise<void> {
  const domain = 'two-factor.example.com'
  const { instance } = await createAlice(server, { domain })
  await enroll(server, instance, 'mail')
  const browser = server.browser(`https://${domain}`)
  for (const path of PATHS) {
    await browser.post(path, { 'two-factor-token': 'x' })
  }
  await browser.get('/auth/twofactor')
  let token = await passStep1(browser)
  await browser.get(`/auth/twofactor?two_factor_token=${token}`)
  await passStep2(browser, token, lastPasscode(server))
  await browser.get(`/auth/twofactor?two_factor_token=${token}`)
  token = await passStep1(browser)
  await passStep2(browser, token, lastPasscode(server), {}, JSON_ONLY)
  for (let at = 0; at < 11; at += 1) {
    token = await passStep1(browser)
    await passStep2(browser, token, 'wrong')
  }
  const fields = { 'two-factor-token': token }
  for (let at = 0; at < 20; at += 1) {
    const answer = await browser.post('/auth/twofactor/resend', fields, { headers: JSON_ONLY })
    if (answer.status !== 200) break
    fields['two-factor-token'] = answer.json<{ two_factor_token: string }>().two_factor_token
  }
  await browser.post('/auth/twofactor/resend', fields)
  await setFactors(server, instance, {})
}

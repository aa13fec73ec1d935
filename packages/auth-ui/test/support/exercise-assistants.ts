import { addResource, connectAssistant } from './assistant-flows.ts'
import { appToken, ask } from './settings-server.ts'
import { createAlice, logIn, type UiServer } from './ui-server.ts'

const DOMAIN = 'assistants.example.com'
const LIST = '/settings/assistants'
const PREFERENCES = `${LIST}/preferences`

/** Meets every status of the owner's assistants, and what is noted of them. */
export async function exerciseAssistants(server: UiServer): Promise<void> {
  addResource(server)
  await createAlice(server, { domain: DOMAIN })
  const browser = server.browser(`https://${DOMAIN}`)
  await logIn(browser)
  const { id } = await connectAssistant(browser)
  const activity = `${LIST}/${id}/activity`
  for (const [method, path] of [
    ['GET', LIST],
    ['GET', activity],
    ['DELETE', LIST],
    ['DELETE', `${LIST}/${id}`],
  ] as const) {
    await browser.request(method, path)
    await ask(browser, method, path, undefined, { slug: 'drive' })
    await ask(browser, method, `${path}?a=%ff`)
  }
  await ask(browser, 'GET', LIST)
  await ask(browser, 'GET', activity)
  await ask(browser, 'GET', `${LIST}/nobody/activity`)
  await ask(browser, 'DELETE', `${LIST}/${id}`)
  await ask(browser, 'DELETE', `${LIST}/${id}`)
  await connectAssistant(browser)
  await ask(browser, 'DELETE', LIST)
  await connectAssistant(browser)
  await browser.request('PUT', PREFERENCES)
  await ask(browser, 'PUT', PREFERENCES, { allowed: false }, { slug: 'drive' })
  await ask(browser, 'PUT', PREFERENCES, {})
  await ask(browser, 'PUT', PREFERENCES, { allowed: 'x'.repeat(65_537) })
  const headers = { authorization: `Bearer ${await appToken(browser)}`, 'content-type': 'text/css' }
  await browser.request('PUT', PREFERENCES, {
    from: `https://settings.${DOMAIN}`,
    headers,
    body: 'x',
  })
  await ask(browser, 'PUT', PREFERENCES, { allowed: false })
}

import type { BrowserClient } from '@svc/testkit'
import { addResource, connectAssistant } from './assistant-flows.ts'
import type { KeptChanges } from './kept-changes.ts'
import { ask } from './settings-server.ts'
import { createAlice, logIn, type UiServer } from './ui-server.ts'

const DOMAIN = 'assistants.example.com'
const LIST = '/settings/assistants'
const CHANGES = `${LIST}/changes`
const PREFERENCES = `${LIST}/preferences`

/** Meets every status of the owner's assistants, and what is noted of them. */
export async function exerciseAssistants(server: UiServer, kept: KeptChanges): Promise<void> {
  addResource(server)
  await createAlice(server, { domain: DOMAIN })
  const browser = server.browser(`https://${DOMAIN}`)
  await logIn(browser)
  const { id } = await connectAssistant(browser)
  const activity = `${LIST}/${id}/activity`

  await ask(browser, 'GET', LIST)
  await ask(browser, 'GET', activity)
  await ask(browser, 'GET', `${LIST}/nobody/activity`)
  await ask(browser, 'GET', CHANGES)
  await exercisePutBack(browser, kept, id)
  await ask(browser, 'DELETE', `${LIST}/${id}`)
  await ask(browser, 'DELETE', `${LIST}/${id}`)
  await connectAssistant(browser)
  await ask(browser, 'DELETE', LIST)
  await connectAssistant(browser)
  await ask(browser, 'PUT', PREFERENCES, { allowed: false })
}

async function exercisePutBack(
  browser: BrowserClient,
  kept: KeptChanges,
  client: string,
): Promise<void> {
  kept.add({ id: 'r1', clientId: client })
  kept.changeSince('r1')
  const path = `${LIST}/${client}/activity/r1/put-back`

  await ask(browser, 'POST', path)
  await ask(browser, 'POST', path, { overwrites: true })
  await ask(browser, 'POST', path)
}

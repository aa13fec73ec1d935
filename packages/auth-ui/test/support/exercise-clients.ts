import { allowAgain, allowClient } from './allowed-clients.ts'
import { ask } from './settings-server.ts'
import { createAlice, logIn, type UiServer } from './ui-server.ts'

const DOMAIN = 'clients.example.com'

/** Meets every status of what an owner changes of a client. */
export async function exerciseClients(server: UiServer): Promise<void> {
  await createAlice(server, { domain: DOMAIN })
  const browser = server.browser(`https://${DOMAIN}`)
  await logIn(browser)
  const { id, party } = await allowClient(browser, server.port, 'io.svc.contacts:GET')
  const path = `/settings/clients/${id}`

  await ask(browser, 'PATCH', path, { duration: '30d' })
  await ask(browser, 'PATCH', path, { scope: 'io.svc.files' })
  await ask(browser, 'PATCH', '/settings/clients/x', { duration: '30d' })

  await allowAgain(browser, party, 'io.svc.contacts:GET', { duration: '1h' })
  server.clock.advance(3_600_001)
  await ask(browser, 'PATCH', path, { duration: '30d' })
}

import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import type { Acknowledged } from '../support/ledger.ts'
import { appOf, ask, need, type Story, visitorOf, type World } from './world.ts'

/** The login value of the owner whom stories share. */
export const SHARED_PASSPHRASE = Buffer.alloc(32, 7).toString('base64')

/** Logs in with the derived passphrase; `more` are fields of the form. */
export async function logIn(
  browser: BrowserClient,
  passphrase: string,
  more: Readonly<Record<string, string>> = {},
): Promise<BrowserResponse> {
  return ask(browser, '/auth/login', { form: { passphrase, ...more } })
}

/** Whether the browser has a session. */
export async function hasSession(browser: BrowserClient): Promise<boolean> {
  return (await ask(browser, '/settings/sessions/current')).status === 200
}

/** The owner logs out of one session, opens another one, and ends that from the settings. */
export const sessionStory: Story = async (world) => {
  const { ledger, domain } = world
  const drive = await appOf(world, domain, 'drive')
  // The server has the browser forget its cookie; somebody may have kept it.
  const thief = drive.browser.another()
  thief.plantCookie(`svcsessid=${drive.browser.cookie('svcsessid')?.value ?? ''}; Path=/; Secure`)
  await ledger.change(
    async () =>
      need(
        await ask(drive.browser, '/auth/login', {
          method: 'DELETE',
          token: drive.token,
          from: `https://drive.${domain}`,
        }),
        204,
      ),
    () => ({
      kind: 'logged out',
      harm: 'revived',
      holds: async () => !(await hasSession(thief)),
    }),
  )

  const there = visitorOf(world, domain)
  const [, other] = await open(world, there)
  const current = need(await ask(there, '/settings/sessions/current'), 200)
  const { id } = current.json<{ data: { id: string } }>().data
  const { browser, token } = await appOf(world, domain, 'settings')
  await ledger.change(
    async () =>
      need(await ask(browser, `/settings/sessions/${id}`, { method: 'DELETE', token }), 204),
    () => ({
      kind: 'session ended',
      harm: 'revived',
      holds: async () => !(await hasSession(there)),
    }),
    [other],
  )
}

function open(
  { ledger }: World,
  browser: BrowserClient,
): Promise<readonly [BrowserResponse, Acknowledged]> {
  return ledger.change(
    async () => need(await logIn(browser, SHARED_PASSPHRASE), 200),
    () => ({ kind: 'logged in', harm: 'lost', holds: () => hasSession(browser) }),
  )
}

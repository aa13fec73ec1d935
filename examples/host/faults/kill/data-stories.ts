import type { BrowserResponse } from '@svc/testkit'
import { Unanswered } from '../support/ledger.ts'
import { withEntry } from './record.ts'
import {
  appOf,
  ask,
  askAdmin,
  clientToken,
  need,
  randomName,
  type Story,
  visitorOf,
} from './world.ts'

/** A document is written, changed, shared by a link; the link and the document go. */
export const documentStory: Story = async (world) => {
  const { ledger, domain } = world
  const { browser, token } = await appOf(world, domain, 'drive')
  const visitor = visitorOf(world, domain)
  const type = '/data/io.svc.files'
  const has = async (path: string, name: string): Promise<boolean> =>
    (await ask(browser, path, { token })).text.includes(`"${name}"`)

  const first = randomName()
  const [made, created] = await ledger.change(
    async () =>
      need(await ask(browser, type, { method: 'POST', token, json: { name: first } }), 201).json<{
        _id: string
        _rev: string
      }>(),
    ({ _id }) => ({
      kind: 'document created',
      harm: 'lost',
      holds: () => has(`${type}/${_id}`, first),
    }),
  )
  const path = `${type}/${made._id}`
  const second = randomName()
  const [, updated] = await ledger.change(
    async () =>
      need(
        await ask(browser, path, {
          method: 'PUT',
          token,
          json: { name: second, _rev: made._rev },
        }),
        200,
      ),
    () => ({ kind: 'document changed', harm: 'lost', holds: () => has(path, second) }),
    [created],
  )
  const [share, shared] = await ledger.change(
    async () =>
      need(
        await ask(browser, '/shares', {
          method: 'POST',
          token,
          json: { type: 'io.svc.files', ids: [made._id] },
        }),
        201,
      ).json<{ id: string }>(),
    ({ id }) => ({
      kind: 'share created',
      harm: 'lost',
      holds: async () => (await ask(visitor, `/shared/${id}`)).status === 200,
    }),
  )
  await ledger.change(
    async () => need(await ask(browser, `/shares/${share.id}`, { method: 'DELETE', token }), 204),
    () => ({
      kind: 'share deleted',
      harm: 'revived',
      holds: async () => (await ask(visitor, `/shared/${share.id}`)).status === 404,
    }),
    [shared],
  )
  await ledger.change(
    async () => need(await ask(browser, path, { method: 'DELETE', token }), 204),
    () => ({
      kind: 'document deleted',
      harm: 'revived',
      holds: async () => (await ask(browser, path, { token })).status === 404,
    }),
    [updated],
  )
}

/** A notification is posted with a key and read; another one, for later, is withdrawn. */
export const notificationStory: Story = async (world) => {
  const { ledger, domain } = world
  const { browser, token } = await appOf(world, domain, 'safe')
  const key = randomName()
  // Of a thing of its own: a newer one of the same thing takes its place.
  const attributes = { category: 'reminders', category_id: key, title: `Reminder ${key}` }
  const post = (): Promise<BrowserResponse> =>
    ask(browser, '/notifications', {
      method: 'POST',
      token,
      json: { data: { attributes } },
      headers: { 'idempotency-key': key, 'content-type': 'application/vnd.api+json' },
    })
  const [id] = await ledger.change(
    async () => idOf(need(await post(), 201)),
    (made) => ({
      kind: 'notification posted',
      harm: 'used twice',
      holds: async () => idOf(await post()) === made,
    }),
  )
  const path = `/notifications/${id}`
  const owner = await appOf(world, domain, 'home')
  async function isRead(): Promise<boolean> {
    const newest = await ask(owner.browser, '/notifications?page[limit]=100', {
      token: owner.token,
    })
    const { data } = newest.json<{
      data: readonly { readonly id: string; readonly attributes: { readonly read_at: unknown } }[]
    }>()
    return data.some((each) => each.id === id && each.attributes.read_at !== null)
  }
  await ledger.change(
    async () =>
      need(
        await ask(owner.browser, path, {
          method: 'PATCH',
          token: owner.token,
          json: { data: { attributes: { read: true } } },
        }),
        200,
      ),
    () => ({
      kind: 'notification read',
      harm: 'lost',
      holds: isRead,
    }),
  )
  const at = new Date(Date.now() + 86_400_000).toISOString()
  const later = need(
    await ask(browser, '/notifications', {
      method: 'POST',
      token,
      json: { data: { attributes: { ...attributes, at } } },
      headers: { 'content-type': 'application/vnd.api+json' },
    }),
    201,
  )
  const waiting = `/notifications/${idOf(later)}`
  await ledger.change(
    async () => need(await ask(browser, waiting, { method: 'DELETE', token }), 204),
    () => ({
      kind: 'notification withdrawn',
      harm: 'revived',
      holds: async () => (await ask(browser, waiting, { method: 'DELETE', token })).status !== 204,
    }),
  )
}

/** The owner chooses when to be left alone. */
export const preferencesStory: Story = async (world) => {
  const { ledger, random } = world
  const domain = `quiet-${randomName()}.example.com`
  await askAdmin(world, 'POST', '/instances', { domain, email: 'owner@mail.example' })
  const { browser, token } = await appOf(world, domain, 'settings')
  const path = '/notifications/preferences'
  const start = `${10 + Math.floor(random() * 10)}:${10 + Math.floor(random() * 50)}`
  await ledger.change(
    async () =>
      need(
        await ask(browser, path, {
          method: 'PATCH',
          token,
          json: { data: { attributes: { quiet_hours: { start, end: '07:00' } } } },
        }),
        200,
      ),
    () =>
      withEntry(
        world,
        { domain, event: 'preferences.changed' },
        {
          kind: 'preferences chosen',
          harm: 'lost',
          holds: async () => (await ask(browser, path, { token })).text.includes(`"${start}"`),
        },
      ),
  )
}

/** An account is connected at a provider, and deleted. */
export const accountStory: Story = async (world) => {
  const { ledger, domain, providerOrigin } = world
  const { browser, token } = await appOf(world, domain, 'home')
  const look = (id: string): Promise<BrowserResponse> =>
    ask(browser, `/data/io.svc.accounts/${id}`, { token })
  const [id, connected] = await ledger.change(
    async () => {
      const start = need(
        await ask(browser, '/accounts/demo-photos/start?state=kill', { isPage: true }),
        302,
      )
      const to = String(start.location)
      if (!to.startsWith(providerOrigin)) throw new Error(`it leads to ${to}`)
      const answer = await fetch(to, { redirect: 'manual' })
      const back = need(
        await ask(browser, String(answer.headers.get('location')), { isPage: true }),
        302,
      )
      const { searchParams } = new URL(String(back.location))
      // It leads back to the app all the same when the store went away meanwhile, and says so.
      if (searchParams.get('error') === 'internal_error') throw new Unanswered('no account')
      const account = searchParams.get('account')
      if (account === null) throw new Error(`it leads to ${back.location}`)
      return account
    },
    (made) => ({
      kind: 'account connected',
      harm: 'lost',
      holds: async () => (await look(made)).text.includes('"connected"'),
    }),
  )
  const client = await clientToken(world, domain, 'io.svc.accounts')
  await ledger.change(
    async () =>
      need(
        await ask(browser, `/accounts/demo-photos/${id}`, {
          method: 'DELETE',
          token: client,
        }),
        204,
      ),
    () => ({
      kind: 'account deleted',
      harm: 'revived',
      holds: async () => (await look(id)).status === 404,
    }),
    [connected],
  )
}

function idOf(answer: BrowserResponse): string {
  return answer.json<{ data: { id: string } }>().data.id
}

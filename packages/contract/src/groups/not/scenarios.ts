import type { Answered } from '../../model/evidence.ts'
import { jsonOf } from '../../model/expect.ts'
import type { World } from '../../world/world.ts'
import type { Scenario } from '../group.ts'

const DAY_MS = 86_400_000
const AHEAD_DAYS = 300

/** What the client of this group may tell the owner. */
const DECLARED = {
  plain: { description: 'What a contract check says.', default_priority: 'normal' },
  steady: { description: 'Only changes.', stateful: true },
  many: { description: 'By its own kinds.', multiple: true },
}

/**
 * Posts what is due in most of a year and cancels it at the end: the owner hears of nothing. Where a record of what was
 * cancelled stays, it is one of the server's own.
 */
export const notifications: Scenario = {
  id: 'not',
  needs: ['notifications'],
  async run(world) {
    const { clients, profile } = world
    const type = `${profile.namespace}.notifications`
    const client = await clients.registerOne('not.client', { notifications: DECLARED })
    const { access } = await clients.tokens('not.grant', client, { scope: `${type}:POST` })
    const post = poster(world, access)
    await post('not.full', {
      category: 'plain',
      title: 'A contract check',
      message: 'This server is being tested; nothing is to be done.',
      priority: 'high',
      state: 'one',
      preferred_channels: ['mobile', 'mail'],
      data: { answer: 42 },
    })
    const plain = { category: 'plain', title: 'A contract check' }
    await Promise.all([
      post('not.default', plain),
      post('not.type.json', plain, { headers: { 'Content-Type': 'application/json' } }),
      post(
        'not.type.other',
        { ...plain, message: null, content: 'text', content_html: '<p>x</p>' },
        { type: 'any.type' },
      ),
      post('not.many', { category: 'many', category_id: 'inbox', title: 'A contract check' }),
      post('not.steady', { category: 'steady', state: 'a', title: 'A contract check' }),
      post('not.at.offset', { ...plain, at: inDays(AHEAD_DAYS).replace(/\.\d+Z$/, '+00:00') }),
      post('not.bad.category', { ...plain, category: 'undeclared' }),
      post('not.bad.none', { title: 'A contract check' }),
      post('not.bad.title', { category: 'plain', title: '  ' }),
      post('not.bad.priority', { ...plain, priority: 'urgent' }),
      post('not.bad.channel', { ...plain, preferred_channels: [7] }),
      post('not.bad.data', { ...plain, data: 'text' }),
      post('not.bad.state', { category: 'steady', title: 'A contract check' }),
      post('not.bad.id', { ...plain, category_id: 'inbox' }),
      post('not.bad.at', { ...plain, at: 'tomorrow' }),
      post('not.bad.at.past', { ...plain, at: inDays(-3) }),
      post('not.bad.at.far', { ...plain, at: inDays(400) }),
      post('not.bad.long', { ...plain, title: 'x'.repeat(513) }),
    ])
    await wrongRequests(world, access)
    await again(world, access)
    await reading(world, access)
  },
}

async function wrongRequests(world: World, access: string): Promise<void> {
  const other = await world.clients.tokens('not.other', await world.clients.shared('other'))
  const body = JSON.stringify({
    data: { attributes: { category: 'plain', title: 'x', at: inDays(AHEAD_DAYS) } },
  })
  const send = (label: string, text: string, headers: Readonly<Record<string, string>>) =>
    world.send(label, '/notifications', { method: 'POST', body: text, headers })
  const json = { 'Content-Type': 'application/json' }
  const good = { ...json, Authorization: `Bearer ${access}` }
  await Promise.all([
    send('not.nobody', body, json),
    send('not.token', body, { ...json, Authorization: 'Bearer not-a-token' }),
    send('not.scope', body, { ...json, Authorization: `Bearer ${other.access}` }),
    send('not.media', body, { ...good, 'Content-Type': 'text/plain' }),
    send('not.broken', '{"data":', good),
    send('not.nothing', '{}', good),
    send(
      'not.large',
      JSON.stringify({ data: { attributes: { title: 'x'.repeat(600_000) } } }),
      good,
    ),
    world.send('not.put', '/notifications', { method: 'PUT', json: {} }),
  ])
  world.note('not.other', other.access)
}

async function again(world: World, access: string): Promise<void> {
  const post = poster(world, access)
  const key = { headers: { 'Idempotency-Key': `contract-${world.random()}` } }
  const at = inDays(AHEAD_DAYS)
  const plain = { category: 'plain', title: 'A contract check', at }
  await post('not.key', plain, key)
  await post('not.key.again', plain, key)
  await post('not.key.changed', { ...plain, title: 'Another one' }, key)
}

async function reading(world: World, access: string): Promise<void> {
  const mine = { Authorization: `Bearer ${access}` }
  const answer = await poster(world, access)('not.own', {
    category: 'plain',
    title: 'A contract check',
  })
  const path = `/notifications/${idOf(answer) ?? 'none'}`
  const foreign = { Authorization: `Bearer ${world.notes['not.other'] ?? ''}` }
  await world.send('not.read', path, { headers: mine })
  await world.send('not.read.foreign', path, { headers: foreign })
  await world.send('not.cancel.foreign', path, { method: 'DELETE', headers: foreign })
  await world.send('not.read.unknown', '/notifications/00000000-0000-7000-8000-000000000000', {
    headers: mine,
  })
  await world.send('not.cancel', path, { method: 'DELETE', headers: mine })
  await world.send('not.cancel.again', path, { method: 'DELETE', headers: mine })
}

interface Post {
  readonly headers?: Readonly<Record<string, string>>
  readonly type?: string
}

/** Posts something that is due much later, and writes down how it is cancelled. */
function poster(
  world: World,
  access: string,
): (
  label: string,
  attributes: Readonly<Record<string, unknown>>,
  post?: Post,
) => Promise<Answered> {
  return async (label, attributes, { headers = {}, type } = {}) => {
    const made = world.journal.making('notification', label)
    const answer = await world.send(label, '/notifications', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/vnd.api+json',
        Authorization: `Bearer ${access}`,
        ...headers,
      },
      body: JSON.stringify({
        data: {
          ...(type !== undefined && { type }),
          attributes: { at: inDays(AHEAD_DAYS), ...attributes },
        },
      }),
    })
    const id = idOf(answer)
    if (id === undefined) world.journal.gone(made.id)
    else {
      world.journal.made(made, {
        method: 'DELETE',
        url: world.url(`/notifications/${id}`),
        headers: { Authorization: `Bearer ${access}` },
      })
    }
    return answer
  }
}

function idOf(answer: Answered): string | undefined {
  const { data } = jsonOf(answer)
  const id = (data as { readonly id?: unknown } | undefined)?.id // as JSON:API has it
  return typeof id === 'string' ? id : undefined
}

function inDays(days: number): string {
  return new Date(performance.timeOrigin + performance.now() + days * DAY_MS).toISOString()
}

import { locationOf, parameterOf } from '../../model/expect.ts'
import { Socket } from '../../net/socket.ts'
import type { World } from '../../world/world.ts'
import type { Scenario } from '../group.ts'

/** Waited for at most, also on a busy machine. */
const EVENT_MS = 10_000

/** Confirms as the owner, rightly and wrongly. */
export const confirmation: Scenario = {
  id: 'cnf',
  needs: ['passphrase', 'pages', 'apps', 'confirmation'],
  async run(world) {
    const browser = world.browser()
    const redirect = world.driver.appUrl(world.profile.apps?.home ?? 'home')
    const state = `contract-${world.random()}`
    const address = confirmUrl(world, { state, redirect: `${redirect}?kept=1` })
    await browser.visit('cnf.no.state', confirmUrl(world, { redirect }))
    await browser.visit(
      'cnf.hostile',
      confirmUrl(world, { state, redirect: 'https://evil.contract.example/' }),
    )
    const page = await browser.visit('cnf.page', address)
    const right = await world.driver.passphraseFields(page)
    const wrong = await world.driver.passphraseFields(page, `not ${world.random()}`)
    await browser.submit('cnf.wrong', page, wrong)
    await browser.submit('cnf.post.hostile', page, {
      ...right,
      redirect: 'https://evil.contract.example/',
    })
    await browser.submit('cnf.post.no.state', page, { ...right, state: '' })
    await browser.submit('cnf.cross', page, right, {
      headers: { Origin: 'https://evil.contract.example', 'Sec-Fetch-Site': 'cross-site' },
    })
    const done = await browser.submit('cnf.right', page, right)
    const code = parameterOf(locationOf(done), 'code') ?? 'no-code'
    world.note('cnf.state', state)
    world.note('cnf.redirect', redirect)
    const ask = (label: string, path: string) => world.send(label, `/auth/confirm/${path}`)
    await ask('cnf.code', code)
    await ask('cnf.code.again', `${code}?state=${encodeURIComponent(state)}`)
    await ask('cnf.code.state', `${code}?state=another-state`)
    await ask('cnf.code.wrong', '0123456789abcdef0123456789abcdef')
    await browser.visit('cnf.no.session', world.url('/auth/login'))
  },
}

/** Listens while the owner confirms. */
export const event: Scenario = {
  id: 'cnf.event',
  needs: ['passphrase', 'pages', 'apps', 'confirmation', 'realtime'],
  async run(world) {
    const client = await world.clients.shared('other')
    const { access } = await world.clients.tokens('cnf.listener', client)
    const url = new URL('/realtime/', world.base)
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
    const socket = await Socket.open(world.wire, 'cnf.event', url, {
      protocols: ['io.svc.websocket'],
    })
    socket.send({ method: 'AUTH', payload: access })
    socket.send({
      method: 'SUBSCRIBE',
      payload: { type: `${world.profile.namespace}.auth.confirmations` },
    })
    // An answer to what is no method says that what came before was taken.
    socket.send({ method: 'PING', payload: {} })
    await socket.frame(1, EVENT_MS)
    const state = `contract-${world.random()}`
    const browser = world.browser()
    await world.agent.confirm('cnf.event', browser, confirmUrl(world, { state }))
    await socket.until(() => JSON.stringify(socket.frames).includes(state), EVENT_MS)
    // A second one would come before the answer to this.
    const before = errorsIn(socket)
    socket.send({ method: 'PING', payload: {} })
    await socket.until(() => errorsIn(socket) > before, EVENT_MS)
    world.note('cnf.event.state', state)
    socket.end()
  },
}

function errorsIn(socket: Socket): number {
  return socket.frames.filter(({ data }) => (data as { event?: unknown } | null)?.event === 'error')
    .length // as it was read
}

function confirmUrl(world: World, parameters: Readonly<Record<string, string>>): string {
  return world.url(`/auth/confirm?${new URLSearchParams(parameters).toString()}`)
}

import { formsOf } from '../../drivers/browser.ts'
import { jsonOf, parameterOf } from '../../model/expect.ts'
import type { World } from '../../world/world.ts'
import type { Scenario } from '../group.ts'

const EVIL = 'https://evil.contract.example/'
const NOBODY = '0123456789abcdef0123456789abcdef'

/** Asks for sharings that are not there, and for the password of links that are not there. */
export const sharings: Scenario = {
  id: 'shm.sharing',
  needs: ['pages', 'sharing'],
  async run(world) {
    const owner = await world.owner()
    const url = world.url('/auth/authorize/sharing')
    await owner.visit('shm.sharing.no.state', `${url}?sharing_id=${NOBODY}`)
    await owner.visit('shm.sharing.no.id', `${url}?state=s`)
    await owner.visit('shm.sharing.unknown', `${url}?state=s&sharing_id=${NOBODY}`)
    await world.browser().visit('shm.sharing.stranger', `${url}?state=s&sharing_id=${NOBODY}`)
    const body = new URLSearchParams({ state: 's', sharing_id: NOBODY }).toString()
    await owner.visit('shm.sharing.no.csrf', url, { method: 'POST', body })
    await world.browser().visit('shm.sharing.cancel.stranger', `${url}/${NOBODY}/cancel?state=s`)
    for (const [name, path] of [
      ['seed', '/auth/share-by-link/password'],
      ['clients', '/auth/clients/share-by-link/password'],
    ] as const) {
      const post = (label: string, form: Readonly<Record<string, string>>) =>
        world.send(`shm.link.${name}.${label}`, path, { method: 'POST', form })
      await post('unknown', { perm_id: NOBODY, password: 'none' })
      await post('missing', { password: 'none' })
      await post('broken', { perm_id: '../../etc', password: 'none' })
      await world.send(`shm.link.${name}.get`, path)
    }
  },
}

/** Moves to another server, rightly and wrongly. Nothing is exported. */
export const move: Scenario = {
  id: 'shm.move',
  needs: ['passphrase', 'pages', 'sharing'],
  async run(world) {
    const client = await world.clients.registerOne('shm.move.client')
    const state = world.random()
    const parameters = { state, client_id: client.id, redirect_uri: client.redirectUri }
    const browser = world.browser()
    await browser.visit('shm.move.no.state', moveUrl(world, { ...parameters, state: '' }))
    await browser.visit('shm.move.no.client', moveUrl(world, { ...parameters, client_id: NOBODY }))
    await browser.visit('shm.move.hostile', moveUrl(world, { ...parameters, redirect_uri: EVIL }))
    const page = await browser.visit('shm.move.page', moveUrl(world, parameters))
    await (await world.owner()).visit('shm.move.owner', moveUrl(world, parameters))
    if (formsOf(page).length === 0) throw new Error('there is no form for a move')
    const right = await world.driver.passphraseFields(page)
    const wrong = await world.driver.passphraseFields(page, `not ${world.random()}`)
    const headers = { Accept: 'application/json' }
    await browser.visit('shm.move.no.csrf', world.url('/auth/authorize/move'), {
      method: 'POST',
      headers,
      body: new URLSearchParams({ ...parameters, ...right }).toString(),
    })
    await browser.submit('shm.move.other', page, { ...right, redirect_uri: EVIL }, { headers })
    await browser.submit('shm.move.wrong', page, wrong, { headers })
    const done = await browser.submit('shm.move.right', page, right, { headers })
    await browser.visit('shm.move.no.session', world.url('/auth/login'))
    const location = String(jsonOf(done)['redirect'] ?? '')
    world.note('shm.move.state', state)
    world.note('shm.move.redirect', client.redirectUri)
    const code = parameterOf(location, 'code') ?? 'no-code'
    world.secrets.learn('code', code)
    await world.clients.exchange('shm.move.token', client, { code })
    await world.clients.exchange('shm.move.again', client, { code })
  },
}

function moveUrl(world: World, parameters: Readonly<Record<string, string>>): string {
  return world.url(`/auth/authorize/move?${new URLSearchParams(parameters).toString()}`)
}

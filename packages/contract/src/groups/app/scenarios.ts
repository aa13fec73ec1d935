import type { Scenario } from '../group.ts'

/** Loads the page of an app, and uses its token where it belongs and where not. */
export const apps: Scenario = {
  id: 'app',
  needs: ['pages', 'apps'],
  async run(world) {
    const { home = 'home', settings = 'settings' } = world.profile.apps ?? {}
    const owner = await world.owner()
    const page = world.driver.appUrl(home)
    const first = await world.agent.appToken('app.first', owner, home)
    const second = await world.agent.appToken('app.second', owner, home)
    const own = await world.agent.appToken('app.settings', owner, settings)
    for (const token of [first, second, own]) world.secrets.learn('app_token', token)
    world.note('app.tokens', JSON.stringify([first, second]))
    world.note('app.settings.token', own)
    const stranger = world.browser()
    await stranger.visit('app.stranger', page)
    const cookie = await owner.jar.getCookieString(world.base.href)
    const clients = '/settings/clients'
    const ask = (label: string, headers: Readonly<Record<string, string>>) =>
      world.send(label, clients, { headers })
    await Promise.all([
      ask('app.use', { Authorization: `Bearer ${own}`, Cookie: cookie }),
      ask('app.use.alone', { Authorization: `Bearer ${own}` }),
      ask('app.use.home', { Authorization: `Bearer ${first}`, Cookie: cookie }),
      ask('app.use.cookie', { Cookie: cookie }),
      world.send('app.host.login', new URL('/auth/login', page).href),
      world.send('app.host.token', new URL('/auth/access_token', page).href, {
        method: 'POST',
        form: {},
      }),
      world.send(
        'app.host.metadata',
        new URL('/.well-known/oauth-authorization-server', page).href,
      ),
      owner.visit('app.host.cors', page, {
        headers: { Origin: 'https://elsewhere.contract.example' },
      }),
      owner.visit('app.unknown', world.driver.appUrl('no-such-app')),
    ])
  },
}

import { filled, formsOf } from '../../drivers/browser.ts'
import { challengeOf } from '../../world/clients.ts'
import type { Scenario } from '../group.ts'

const CHANGES: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['client', { client_id: 'no-such-client' }],
  ['redirect', { redirect_uri: 'https://evil.contract.example/callback' }],
  ['state', { state: '' }],
  ['type', { response_type: 'token' }],
  ['scope', { scope: '*', code_challenge: '', code_challenge_method: '' }],
  ['challenge', { code_challenge_method: 'plain' }],
]

/** Posts the form of the consent page with one field changed, or from where it must not come. */
export const form: Scenario = {
  id: 'aut.form',
  needs: ['pages'],
  async run(world) {
    const { clients } = world
    const client = await clients.shared('main')
    const browser = await world.owner()
    const challenge = challengeOf(world.random(32))
    const page = await browser.visit(
      'aut.form.page',
      await clients.authorizeUrl(client, {}, challenge),
    )
    const [shown] = formsOf(page)
    if (shown === undefined) throw new Error('the consent page has no form')
    const action = new URL(shown.action, page.request.url).href
    const post = (
      label: string,
      body: URLSearchParams,
      headers: Readonly<Record<string, string>> = {},
      by = browser,
    ) => by.visit(label, action, { method: 'POST', body: body.toString(), headers })
    for (const [name, fields] of CHANGES) {
      await post(`aut.form.changed.${name}`, filled(shown, fields))
    }
    const bare = filled(shown)
    bare.delete('csrf_token')
    await post('aut.form.csrf.none', bare)
    await post('aut.form.csrf.wrong', filled(shown, { csrf_token: 'x'.repeat(32) }))
    await post('aut.form.origin', filled(shown), {
      Origin: 'https://evil.contract.example',
      'Sec-Fetch-Site': 'cross-site',
    })
    const stranger = world.browser()
    await stranger.visit('aut.form.stranger.login', world.url('/auth/login'))
    await post('aut.form.csrf.other', filled(shown), {}, stranger)
    const owner = await browser.clone()
    const otherPage = await owner.visit(
      'aut.form.twice.page',
      await clients.authorizeUrl(client, {}, challenge),
    )
    const body = filled(formsOf(otherPage)[0] ?? shown)
    body.append('redirect_uri', 'https://evil.contract.example/callback')
    await post('aut.form.twice', body, {}, owner)
  },
}

import { filled, formsOf } from '../../drivers/browser.ts'
import { locationOf, parameterOf } from '../../model/expect.ts'
import { challengeOf } from '../../world/clients.ts'
import { changed } from '../aut/scenarios.ts'
import type { Scenario } from '../group.ts'

/** Attacks of RFC 9700. */
export const attacks: Scenario = {
  id: 'bcp',
  async run(world) {
    const { clients } = world
    const client = await clients.shared('main')
    const other = await clients.shared('other')
    const browser = await world.owner()
    // A code of one flow is given to another one of the same client.
    const mine = await clients.code('bcp.mine', client)
    const stolen = await clients.code('bcp.stolen', client)
    await clients.exchange('bcp.inject', client, { code: stolen.code, verifier: mine.verifier })
    await clients.exchange('bcp.foreign', other, { code: stolen.code, verifier: stolen.verifier })
    world.note('bcp.location', mine.consent.location)
    const url = await clients.authorizeUrl(client, {}, challengeOf(mine.verifier))
    await browser.visit(
      'bcp.redirector',
      changed(url, { redirect_uri: 'https://evil.contract.example/' }),
    )
    await browser.visit(
      'bcp.redirector.error',
      changed(url, { redirect_uri: 'https://evil.contract.example/', response_type: 'none' }),
    )
    if (!world.has('pages')) return
    const page = await browser.visit('bcp.page', url)
    const [form] = formsOf(page)
    if (form === undefined) throw new Error('the consent page has no form')
    // The challenge is taken out on the way, and the verifier comes all the same.
    const answer = await browser.visit('bcp.stripped', new URL(form.action, url).href, {
      method: 'POST',
      body: filled(form, { code_challenge: '', code_challenge_method: '' }).toString(),
    })
    const code = parameterOf(locationOf(answer), 'code')
    if (code !== undefined) {
      await clients.exchange('bcp.stripped.exchange', client, { code, verifier: mine.verifier })
    }
  },
}

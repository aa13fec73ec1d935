import { challengeOf } from '../../world/clients.ts'
import { changed } from '../aut/scenarios.ts'
import type { Scenario } from '../group.ts'

/** Asks with wrong challenges, and exchanges codes with wrong verifiers. */
export const pkce: Scenario = {
  id: 'pkc',
  async run(world) {
    const { clients } = world
    const client = await clients.shared('main')
    const browser = await world.owner()
    const good = await clients.authorizeUrl(client, {}, challengeOf(world.random(32)))
    await Promise.all([
      browser.visit('pkc.plain', changed(good, { code_challenge_method: 'plain' })),
      browser.visit('pkc.no.method', changed(good, { code_challenge_method: undefined })),
      browser.visit('pkc.no.challenge', changed(good, { code_challenge: undefined })),
      browser.visit('pkc.short', changed(good, { code_challenge: 'c'.repeat(42) })),
      browser.visit('pkc.letters', changed(good, { code_challenge: `${'c'.repeat(42)}=` })),
    ])
    const own = await clients.code('pkc.own.code', client)
    await clients.exchange('pkc.own', client, { code: own.code, verifier: own.verifier })
    const code = await clients.code('pkc.code', client)
    const wrong = (label: string, verifier: string | undefined) =>
      clients.exchange(label, client, {
        code: code.code,
        ...(verifier !== undefined && { verifier }),
      })
    await wrong('pkc.missing', undefined)
    await wrong('pkc.wrong', world.random(32))
    await wrong('pkc.challenge', challengeOf(code.verifier))
    await wrong('pkc.brief', 'short')
    await wrong('pkc.alphabet', `${code.verifier.slice(1)} `)
    await wrong('pkc.right', code.verifier)
    if (!world.has('pages')) return
    const without = await clients.code('pkc.none', client, { pkce: false })
    await clients.exchange('pkc.unasked', client, { code: without.code, verifier: code.verifier })
  },
}

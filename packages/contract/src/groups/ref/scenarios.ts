import type { Scenario } from '../group.ts'

const RACERS = 10

/** Refreshes as clients do, and as they must not. */
export const refresh: Scenario = {
  id: 'ref',
  async run(world) {
    const { clients } = world
    const client = await clients.shared('main')
    const other = await clients.shared('other')
    // A grant of two rules, so that a part of it can be asked for.
    const scope = `${world.scope} ${world.profile.resource?.other ?? `${world.profile.namespace}.files:GET`}`
    const tokens = await clients.tokens('ref.grant', client, { scope })
    const { refresh: token } = tokens
    await clients.refresh('ref.first', client, token)
    await clients.refresh('ref.same.scope', client, token, { scope: tokens.scope || scope })
    await clients.refresh('ref.narrow', client, token, { scope: world.scope })
    await clients.refresh('ref.wide', client, token, {
      scope: `${scope} ${world.profile.namespace}.photos:GET`,
    })
    await Promise.all(
      Array.from({ length: RACERS }, (_, at) => clients.refresh(`ref.racer.${at}`, client, token)),
    )
    await clients.refresh('ref.again', client, token)
    await clients.refresh('ref.foreign', other, token)
    await clients.refresh('ref.missing', client, '', { refresh_token: undefined })
    await clients.refresh('ref.unknown', client, 'no-such-refresh-token')
    await clients.refresh('ref.access', client, tokens.access)
    await clients.refresh('ref.registration', client, client.registrationToken)
    await clients.refresh('ref.after', client, token)
    if (world.has('resource')) await clients.resource('ref.old.access', tokens.access)
  },
}

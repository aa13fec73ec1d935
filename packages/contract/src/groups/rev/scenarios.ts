import type { Answered } from '../../model/evidence.ts'
import type { Client } from '../../world/clients.ts'
import type { Scenario } from '../group.ts'

/** Revokes tokens, its own and others. */
export const revocation: Scenario = {
  id: 'rev',
  needs: ['revocation'],
  async run(world) {
    const { clients } = world
    const client = await clients.shared('revoked')
    const other = await clients.shared('other')
    const { revocation: endpoint } = await world.endpoints()
    const revoke = (
      label: string,
      by: Client,
      fields: Readonly<Record<string, string>>,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<Answered> =>
      world.send(label, endpoint, {
        method: 'POST',
        form: { client_id: by.id, client_secret: by.secret, ...fields },
        headers,
      })
    const use = async (label: string, token: string): Promise<void> => {
      if (world.has('resource')) await clients.resource(label, token)
    }
    const one = await clients.tokens('rev.one', client)
    await use('rev.before', one.access)
    await revoke('rev.foreign', other, { token: one.refresh })
    await clients.refresh('rev.foreign.after', client, one.refresh)
    await revoke(
      'rev.secret',
      { ...client, secret: 'not-the-secret-of-this-client' },
      { token: one.refresh },
    )
    await revoke('rev.missing', client, {})
    await revoke('rev.unknown', client, { token: 'no-such-token' })
    await world.send('rev.get', endpoint)
    await clients.refresh('rev.still', client, one.refresh)
    await revoke('rev.refresh', client, {
      token: one.refresh,
      token_type_hint: 'refresh_token',
    })
    await use('rev.refresh.access', one.access)
    await clients.refresh('rev.refresh.dead', client, one.refresh)
    await revoke('rev.again', client, { token: one.refresh })
    const elsewhere = { Origin: 'https://elsewhere.contract.example' }
    await revoke('rev.origin', client, { token: one.refresh }, elsewhere)
    const two = await clients.tokens('rev.two', client)
    await revoke('rev.access', client, { token: two.access, token_type_hint: 'refresh_token' })
    await use('rev.access.dead', two.access)
    await clients.refresh('rev.access.refresh', client, two.refresh)
  },
}

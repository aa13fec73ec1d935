import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type BrowserClient, freePort } from '@svc/testkit'
import { expect } from 'chai'
import { Programs, type Running } from '../support/programs.ts'

describe('the example client, beside the example host', function () {
  this.timeout(60_000)
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-client-'))
  const programs = new Programs(folder)
  let owner: BrowserClient
  before(async () => {
    ;({ owner } = await programs.openHost())
  })
  after(async () => {
    await programs.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const runClient = (base = owner.base): Running =>
    programs.run(process.execPath, ['examples/client/src/main.ts', base])

  it('does what the README shows', async () => {
    const client = runClient()
    const address = await client.line(/http\S+\/auth\/authorize\?\S+/)
    const consent = (await owner.get(address)).page()
    expect(consent.text).to.contain('Example client')
    const allowed = await owner.submit(consent.form('/auth/authorize'))
    await fetch(String(allowed.location))
    await client.line(/POST \/data\/io\.svc\.notes +201/)
    await client.line(/GET {2}\/data\/io\.svc\.notes +200/)
    await client.line(/GET {2}\/data\/io\.svc\.contacts +403/)
    await client.line(/Refreshed/)
    const id = new URL(address).searchParams.get('client_id')
    expect(await revoke(owner, String(id))).to.equal(204)
    await client.line(/The token was revoked/)
  })

  it('says in a line that the owner refused', async () => {
    const client = runClient()
    const address = await client.line(/http\S+\/auth\/authorize\?\S+/)
    const { links } = (await owner.get(address)).page()
    const refuse = links.find(({ text }) => text === 'Don’t allow')
    await fetch(refuse?.href ?? '')
    const { code, rest } = await client.ended()
    expect(rest.slice(-1)).to.deep.equal(['Refused: the client has no access.'])
    expect(code).to.equal(1)
  })

  it('says in a line that no server answers', async () => {
    const base = `http://alice.localhost:${await freePort()}`
    expect(await runClient(base).ended()).to.deep.equal({
      code: 1,
      rest: [`No server answers at ${base}: is it running?`],
    })
  })
})

/** What the button of the settings app does. */
async function revoke(owner: BrowserClient, clientId: string): Promise<number> {
  const from = owner.base.replace('alice', 'settings.alice')
  const app = await owner.get(`${from}/`)
  const token = app.page().attribute('data-svc-token')
  const answer = await owner.request('DELETE', `/settings/clients/${clientId}`, {
    from,
    headers: { authorization: `Bearer ${token}` },
  })
  return answer.status
}

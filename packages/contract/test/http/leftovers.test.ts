import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { afterTest } from '../../../testkit/src/after-test.ts'
import { listen } from '../../../testkit/src/listen.ts'
import { runCommand } from '../support/run-command.ts'
import { workFolder } from '../support/temp-folder.ts'

/** A server that registers clients until its hour's registrations are used up. */
interface Registrar {
  readonly origin: string
  readonly registered: Set<string>
  /** What it answers to a removal. */
  removal: number
}

/** A program of `--driver` that fails, and says the passphrase. */
const SAYS = `process.stdin.on('data', () => {
  const error = 'it was filled in: ' + process.env.CONTRACT_OWNER_PASSPHRASE
  console.log(JSON.stringify({ error }))
})`

describe('a run that cannot be made', () => {
  const folder = workFolder()
  let registrar: Registrar

  beforeEach(async () => {
    const registered = new Set<string>()
    const server = await listen((request, response) => {
      const { origin } = registrar
      const [, id = ''] = /^\/reg\/(\w+)$/.exec(request.url ?? '') ?? []
      const answer = (status: number, body: object): void => {
        response.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '1800' })
        response.end(JSON.stringify(body))
      }
      request.resume()
      if (request.method === 'DELETE') {
        if (registrar.removal < 300) registered.delete(id)
        response.writeHead(registrar.removal).end()
      } else if (request.url === '/reg' && registered.size < 2) {
        const client = `client${registered.size}`
        registered.add(client)
        answer(201, {
          client_id: client,
          client_secret: 'secret of the client',
          registration_access_token: 'token of the client',
          registration_client_uri: `${origin}/reg/${client}`,
          redirect_uris: ['https://client.contract.example/callback'],
        })
      } else if (request.url === '/reg') answer(429, { error: 'too_many_requests' })
      else if (request.url === '/.well-known/oauth-authorization-server') {
        answer(200, { registration_endpoint: `${origin}/reg` })
      } else answer(404, {})
    })
    afterTest(server.close)
    registrar = { origin: server.origin, registered, removal: 204 }
  })

  const command = (...words: readonly string[]) =>
    runCommand(words, { CONTRACT_OWNER_PASSPHRASE: 'a passphrase' })

  it('ends with 2 and the time when it can, and leaves nothing', async () => {
    const { code, said } = await command(
      registrar.origin,
      '--profile',
      'core-oauth',
      '--group',
      'REG',
    )
    expect(said).to.include('used up; run it again in 30 minutes')
    expect(code).to.equal(2)
    expect([...registrar.registered]).to.deep.equal([])
    expect(readdirSync(folder())).to.deep.equal([])
  })

  it('does not show the passphrase, whatever acts for the owner says', async () => {
    writeFileSync('says.mjs', SAYS)
    const driver = `command:${process.execPath} says.mjs`
    const { code, said } = await command(registrar.origin, '--profile', 'seed', '--driver', driver)
    expect(said).to.include('it was filled in: <passphrase 1>')
    expect(code).to.equal(2)
  })

  it('ends with 3 when something cannot be removed; clean removes it later', async () => {
    registrar.removal = 500
    const { code, said } = await command(
      registrar.origin,
      '--profile',
      'core-oauth',
      '--group',
      'REG',
    )
    expect(said)
      .to.match(/used up/)
      .and.match(/Not removed: client "Contract check \w+ \d+": .*500/)
    expect(said).to.not.include('token of the client')
    expect(code).to.equal(3)
    const [journal = ''] = readdirSync(folder())
    expect((await command('clean', journal)).code).to.equal(3)
    registrar.removal = 204
    expect(await command('clean', journal)).to.include({ code: 0 })
    expect([...registrar.registered]).to.deep.equal([])
    expect(existsSync(journal)).to.equal(false)
  })
})

import { createHash, randomBytes } from 'node:crypto'
import type { BrowserResponse } from '@svc/testkit'
import type { Acknowledged } from '../support/ledger.ts'
import { appOf, ask, need, randomName, type Story, visitorOf, type World } from './world.ts'

interface Client {
  readonly client_id: string
  readonly client_secret: string
  readonly registration_access_token: string
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

const REDIRECT = 'https://client.example/callback'
const SCOPE = 'io.svc.notes'

/** A client is registered, renamed, let in, refreshed, revoked and deleted. */
export const clientStory: Story = async (world) => {
  const { ledger, domain } = world
  const visitor = visitorOf(world, domain)
  const metadata = {
    redirect_uris: [REDIRECT],
    client_name: 'before',
    software_id: 'github.com/example/kill',
  }
  const read = (client: Client): Promise<BrowserResponse> =>
    ask(visitor, `/auth/register/${client.client_id}`, { token: client.registration_access_token })
  const hasName = async (client: Client, name: string): Promise<boolean> => {
    const answer = await read(client)
    return answer.text.includes(`"client_name":"${name}"`)
  }

  const [client, registered] = await ledger.change(
    async () =>
      need(
        await ask(visitor, '/auth/register', { method: 'POST', json: metadata }),
        201,
      ).json<Client>(),
    (made) => ({
      kind: 'client registered',
      harm: 'lost',
      holds: () => hasName(made, 'before'),
    }),
  )
  const name = `after ${randomName()}`
  const [, renamed] = await ledger.change(
    async () =>
      need(
        await ask(visitor, `/auth/register/${client.client_id}`, {
          method: 'PUT',
          token: client.registration_access_token,
          json: { ...metadata, client_id: client.client_id, client_name: name },
        }),
        200,
      ),
    () => ({ kind: 'client updated', harm: 'lost', holds: () => hasName(client, name) }),
    [registered],
  )
  const held = await letIn(world, client)
  await ledger.change(
    async () =>
      need(
        await ask(visitor, `/auth/register/${client.client_id}`, {
          method: 'DELETE',
          token: client.registration_access_token,
        }),
        204,
      ),
    () => ({
      kind: 'client deleted',
      harm: 'revived',
      holds: async () => (await read(client)).status !== 201,
    }),
    [renamed, ...held],
  )
}

/** @returns what does not hold any more once the client is gone */
async function letIn(world: World, client: Client): Promise<readonly Acknowledged[]> {
  const { ledger, domain } = world
  const visitor = visitorOf(world, domain)
  const secrets = { client_id: client.client_id, client_secret: client.client_secret }
  const verifier = randomBytes(32).toString('base64url')
  const exchange = (code: string): Promise<BrowserResponse> =>
    ask(visitor, '/auth/access_token', {
      form: {
        ...secrets,
        grant_type: 'authorization_code',
        code,
        redirect_uri: REDIRECT,
        code_verifier: verifier,
      },
    })
  const refresh = (token: string): Promise<BrowserResponse> =>
    ask(visitor, '/auth/access_token', {
      form: { ...secrets, grant_type: 'refresh_token', refresh_token: token },
    })

  const [code, consented] = await ledger.change(
    () => consent(world, client.client_id, verifier),
    (made) => ({
      kind: 'consent given',
      harm: 'lost',
      holds: async () => (await exchange(made)).status === 200,
    }),
  )
  const [tokens, exchanged] = await ledger.change(
    async () => need(await exchange(code), 200).json<Tokens>(),
    () => ({
      kind: 'code exchanged',
      harm: 'used twice',
      holds: async () => (await exchange(code)).status !== 200,
    }),
    [consented],
  )
  const works = async (token: string): Promise<boolean> =>
    (await ask(visitor, `/data/${SCOPE}`, { token })).status === 200
  const [refreshed, hasRefreshed] = await ledger.change(
    async () => need(await refresh(tokens.refresh_token), 200).json<Tokens>(),
    (answer) => ({
      kind: 'token refreshed',
      harm: 'lost',
      holds: async () =>
        (await works(answer.access_token)) && (await refresh(tokens.refresh_token)).status === 200,
    }),
  )
  const [, revoked] = await ledger.change(
    async () =>
      need(
        await ask(visitor, '/auth/revoke', { form: { ...secrets, token: tokens.refresh_token } }),
        200,
      ),
    () => ({
      kind: 'token revoked',
      harm: 'revived',
      holds: async () =>
        (await refresh(tokens.refresh_token)).status !== 200 &&
        !(await works(refreshed.access_token)),
    }),
    [hasRefreshed],
  )
  return [exchanged, revoked]
}

/** The owner consents. @returns the code */
async function consent(world: World, clientId: string, verifier: string): Promise<string> {
  const { browser } = await appOf(world, world.domain, 'settings')
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: REDIRECT,
    response_type: 'code',
    state: 'a state',
    scope: SCOPE,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const page = need(
    await ask(browser, `/auth/authorize?${query.toString()}`, { isPage: true }),
    200,
  )
  const form = page.page().form('/auth/authorize')
  const answer = need(await ask(browser, form.action, { form: form.fields, isPage: true }), 302)
  const code = new URL(answer.location ?? '').searchParams.get('code')
  if (code === null) throw new Error(`no code in ${answer.location ?? 'nothing'}`)
  return code
}

import { formsOf } from '../../drivers/browser.ts'
import { jsonOf, parameterOf } from '../../model/expect.ts'
import { challengeOf, type Client } from '../../world/clients.ts'
import type { World } from '../../world/world.ts'
import type { Scenario } from '../group.ts'

const NOBODY = '0123456789abcdef0123456789abcdef'
const ATTEMPTS = [
  ['integrity', { platform: 'android', issuer: 'playintegrity' }],
  ['safetynet', { platform: 'android', issuer: 'safetynet' }],
  ['appattest', { platform: 'ios', keyId: Buffer.alloc(32).toString('base64') }],
] as const

/** Attests what no platform has said. */
export const attestation: Scenario = {
  id: 'crt.attest',
  needs: ['certification', 'management'],
  async run(world) {
    const client = await world.clients.registerOne('crt.attest.client')
    const path = `/auth/clients/${client.id}`
    const bearer = { Authorization: `Bearer ${client.registrationToken}` }
    const ask = async (label: string): Promise<string> => {
      const answer = await world.send(label, `${path}/challenge`, {
        method: 'POST',
        json: {},
        headers: bearer,
      })
      const nonce = String(jsonOf(answer)['nonce'] ?? 'no-nonce')
      world.secrets.learn('nonce', nonce)
      return nonce
    }
    const attest = (label: string, json: object, at = path) =>
      world.send(label, `${at}/attestation`, { method: 'POST', json })
    await world.send('crt.challenge.anonymous', `${path}/challenge`, { method: 'POST', json: {} })
    for (const [name, more] of ATTEMPTS) {
      const challenge = await ask(`crt.challenge.${name}`)
      const body = { ...more, challenge, attestation: Buffer.from('{}.{}.{}').toString('base64') }
      await attest(`crt.attest.${name}`, body)
      if (name === 'integrity') await attest('crt.attest.again', body)
    }
    const made = { challenge: 'x'.repeat(36), attestation: 'e30' }
    await attest('crt.attest.made-up', { platform: 'android', ...made })
    await attest('crt.attest.platform', { platform: 'toaster', ...made })
    await attest('crt.attest.nobody', { platform: 'ios', ...made }, `/auth/clients/${NOBODY}`)
    await world.send('crt.attest.record', client.managementUrl, { headers: bearer })
  },
}

/** Has a client certified by its owner, and lets it log in. */
export const byOwner: Scenario = {
  id: 'crt.owner',
  needs: ['pages', 'apps', 'certification', 'fresh', 'mailbox'],
  exclusive: 'fresh',
  async run(world) {
    const fresh = await world.fresh()
    const client = await fresh.clients.registerOne('crt.client')
    const other = await fresh.clients.registerOne('crt.other')
    await logInDirectly(fresh, client)
    const verifier = fresh.random(32)
    fresh.secrets.learn('code_verifier', verifier)
    const request = { scope: '*' }
    const owner = await fresh.owner()
    await owner.visit('crt.no.pkce', await fresh.clients.authorizeUrl(client, request))
    const url = await fresh.clients.authorizeUrl(client, request, challengeOf(verifier))
    await fresh.browser().visit('crt.stranger', url)
    const page = await owner.visit('crt.page', url)
    const code = await fresh.passcode('crt.mail')
    await giveCode(fresh, page, client, other, code)
    const consent = await fresh.agent.consent('crt.consent', owner, url, 'accept')
    const granted = parameterOf(consent.location, 'code') ?? 'no-code'
    fresh.secrets.learn('code', granted)
    const answer = await fresh.clients.exchange('crt.token', client, { code: granted, verifier })
    const token = String(jsonOf(answer)['access_token'] ?? 'no-token')
    await fresh.send('crt.session_code', '/auth/session_code', {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
    })
    const form = await fresh.browser().visit('crt.direct.form', fresh.url('/auth/login'))
    await fresh.send('crt.direct', '/auth/login/flagship', {
      method: 'POST',
      json: {
        ...(await fresh.driver.passphraseFields(form)),
        client_id: client.id,
        client_secret: client.secret,
      },
    })
  },
}

async function giveCode(
  world: World,
  page: Awaited<ReturnType<World['send']>>,
  client: Client,
  other: Client,
  code: string,
): Promise<void> {
  const form = formsOf(page).find(({ action }) => action.includes('/flagship'))
  const token = form?.fields.find(({ name }) => name === 'token')?.value ?? 'no-token'
  const give = (label: string, id: string, fields: Readonly<Record<string, string>>) =>
    world.send(label, `/auth/clients/${id}/flagship`, { method: 'POST', form: fields })
  const wrong = code === '000000' ? '000001' : '000000'
  await give('crt.code.wrong', client.id, { token, code: wrong })
  await give('crt.code.token', client.id, { token: 'x'.repeat(64), code })
  await give('crt.code.other', other.id, { token, code })
  await give('crt.code.nobody', NOBODY, { token, code })
  await give('crt.code.right', client.id, { token, code })
  await give('crt.code.again', client.id, { token, code })
  await world.send('crt.record', client.managementUrl, {
    headers: { Authorization: `Bearer ${client.registrationToken}` },
  })
}

/** Before the owner has certified it. */
async function logInDirectly(world: World, client: Client): Promise<void> {
  const page = await world.browser().visit('crt.login.form', world.url('/auth/login'))
  const { passphrase = '' } = await world.driver.passphraseFields(page)
  const { passphrase: wrong = '' } = await world.driver.passphraseFields(page, 'not it')
  const post = (label: string, json: object) =>
    world.send(label, '/auth/login/flagship', { method: 'POST', json })
  const app = { client_id: client.id, client_secret: client.secret }
  await post('crt.login.wrong', { ...app, passphrase: wrong })
  await post('crt.login.secret', { ...app, passphrase, client_secret: 'not-the-secret' })
  await post('crt.login.missing', { passphrase })
  const answer = await post('crt.login', { ...app, passphrase })
  const code = String(jsonOf(answer)['session_code'] ?? 'no-code')
  world.secrets.learn('session_code', code)
  const use = await world.clients.authorizeUrl(
    client,
    { more: { session_code: code } },
    'c'.repeat(43),
  )
  await world.browser().visit('crt.login.use', use)
  await world.browser().visit('crt.login.use.again', use)
}

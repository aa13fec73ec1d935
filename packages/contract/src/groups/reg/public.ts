import type { Check } from '../../model/check.ts'
import type { Evidence } from '../../model/evidence.ts'
import {
  allOf,
  expectMember,
  expectNoMember,
  expectPage,
  expectStatus,
  jsonOf,
  show,
} from '../../model/expect.ts'
import { CALLBACK } from '../../world/clients.ts'
import type { Scenario } from '../group.ts'

const OF_TODAY = {
  software_id: undefined,
  client_name: undefined,
  token_endpoint_auth_method: 'client_secret_post',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
}

/** Registers as programs of today do: without a name and with another method than they get, or with an address alone. */
export const publicRegistration: Scenario = {
  id: 'reg.public',
  needs: ['assistants', 'pages'],
  async run(world) {
    const { clients } = world
    const unnamed = await clients.register('reg.public.unnamed', clients.metadata(OF_TODAY))
    const address = { software_id: undefined, redirect_uris: ['http://127.0.0.1:33418/'] }
    await clients.register('reg.public.address', clients.metadata(address))
    // Beside a software id the method changes nothing, and the answer says so.
    await clients.register(
      'reg.public.secret',
      clients.metadata({ token_endpoint_auth_method: 'none' }),
    )
    const client = clients.clientOf(unnamed)
    if (client === undefined) return
    await world.send('reg.public.read', client.managementUrl, {
      headers: { Authorization: `Bearer ${client.registrationToken}` },
    })
    const url = await clients.authorizeUrl(client, {}, 'c'.repeat(43))
    await (await world.owner()).visit('reg.public.page', url)
  },
}

const IN_COMMON = { level: 'must', basis: 'product', needs: ['assistants', 'pages'] } as const

/** @see assistants.md 3.8 */
export const REG_PUBLIC: readonly Check[] = [
  {
    ...IN_COMMON,
    id: 'REG-039',
    title: 'A program of today registers without a name.',
    rules: ['RFC 7591 2 OPTIONAL', 'assistants.md 3.8', 'decision D90'],
    why: 'Published assistants send none, and cannot go on after a refusal.',
    remedy: 'Answer 201 with a stand-in as client_name.',
    judge: (e) => allOf(expectStatus(unnamed(e), 201), expectMember(unnamed(e), 'client_name')),
  },
  {
    ...IN_COMMON,
    id: 'REG-040',
    title:
      'The consent page of a client without a name shows where it returns to, and no stand-in.',
    rules: ['assistants.md 5.2', 'decision D90'],
    why: 'A stand-in would look like the word of the app.',
    remedy: 'Name the host of the redirect URI of the request.',
    judge: (e) => {
      const page = e.of('reg.public.page')
      const name = String(jsonOf(unnamed(e))['client_name'])
      return allOf(
        expectPage(page, 200),
        () =>
          page.answer.body.includes(new URL(CALLBACK).host)
            ? undefined
            : 'the host that it returns to is missing',
        () => (page.answer.body.includes(name) ? `the page says ${show(name)}` : undefined),
      )
    },
  },
  {
    ...IN_COMMON,
    id: 'REG-041',
    title: 'A program that asks for another method, or for none, is registered with none.',
    rules: ['RFC 7591 3.2.1', 'assistants.md 3.8', 'decision D90'],
    why: 'Software kits ask for what they know, and read in the answer what they got.',
    remedy: 'Answer 201 with token_endpoint_auth_method "none" and no secret.',
    judge: (e) =>
      allOf(
        ...['reg.public.unnamed', 'reg.public.address'].map((label) => () => {
          const answer = e.of(label)
          return allOf(
            expectStatus(answer, 201),
            expectMember(answer, 'token_endpoint_auth_method', 'none'),
            expectNoMember(answer, 'client_secret'),
          )
        }),
      ),
  },
  {
    ...IN_COMMON,
    id: 'REG-042',
    title: 'A client with a secret that asked for a method is answered the registered one.',
    rules: ['RFC 7591 3.2.1 MUST', 'assistants.md 3.8', 'decision D90'],
    why: 'It authenticates in the way that it reads there.',
    remedy: 'Answer token_endpoint_auth_method beside the secret, also where "none" was asked for.',
    judge: (e) =>
      allOf(
        expectMember(e.of('reg.public.secret'), 'client_secret'),
        expectMember(e.of('reg.public.secret'), 'token_endpoint_auth_method', 'client_secret_post'),
        expectNoMember(e.of('reg.full'), 'token_endpoint_auth_method'),
      ),
  },
  {
    ...IN_COMMON,
    id: 'REG-043',
    title: 'A public registration says where it is managed, when it is made and when it is read.',
    rules: ['RFC 7592 3 REQUIRED', 'assistants.md 3.8', 'decision D90'],
    why: 'Without the address a client cannot use its registration access token.',
    remedy: 'Answer registration_client_uri beside registration_access_token, and at GET.',
    judge: (e) => {
      const address = `${e.target}/auth/register/${String(jsonOf(unnamed(e))['client_id'])}`
      return allOf(
        expectMember(unnamed(e), 'registration_client_uri', address),
        expectMember(e.of('reg.public.read'), 'registration_client_uri', address),
      )
    },
  },
]

function unnamed(e: Evidence) {
  return e.of('reg.public.unnamed')
}

import type { Browser } from '../../drivers/browser.ts'
import type { Answered } from '../../model/evidence.ts'
import { header, parameterOf } from '../../model/expect.ts'
import { REFUSED_CODE } from '../../operator/provider.ts'
import type { World } from '../../world/world.ts'
import type { Scenario } from '../group.ts'

const EVIL = 'https://evil.contract.example'
const STATE = 'state of the app'

/** Connects accounts at a provider of the run, rightly and wrongly, and lets one go. */
export const accounts: Scenario = {
  id: 'con',
  needs: ['pages', 'apps', 'connectors', 'fresh', 'provider'],
  exclusive: 'fresh',
  async run(world) {
    const fresh = await world.fresh()
    const type = await fresh.accountType()
    const path = `/accounts/${type}`
    const owner = await fresh.owner()
    await fresh.browser().visit('con.start.stranger', fresh.url(`${path}/start`))
    await owner.visit('con.start.head', fresh.url(`${path}/start`), { method: 'HEAD' })
    await owner.visit('con.start.unknown', fresh.url('/accounts/nobody-knows-it/start'))
    const flow = new Flow(fresh, path, owner)
    await flow.answerWrongly()
    const id = await flow.connect()
    await useAccount(fresh, path, id)
  },
}

class Flow {
  readonly #world: World
  readonly #path: string
  readonly #owner: Browser

  constructor(world: World, path: string, owner: Browser) {
    this.#world = world
    this.#path = path
    this.#owner = owner
  }

  async answerWrongly(): Promise<void> {
    const made = 'x'.repeat(43)
    await this.#back('con.state.wrong', { code: 'code', state: made })
    await this.#back('con.state.none', { code: 'code' })
    await this.#back('con.token', { access_token: 'planted-access-token', state: made })
    const elsewhere = await this.#start('con.browser.start')
    await this.#back('con.browser', { code: 'code', state: elsewhere }, this.#world.browser())
    const denied = await this.#start('con.denied.start')
    const error_description = 'text of the provider'
    await this.#back('con.denied', { error: 'access_denied', error_description, state: denied })
    const refused = await this.#start('con.refused.start')
    await this.#back('con.refused', { code: REFUSED_CODE, state: refused })
    const issuer = await this.#start('con.issuer.start')
    await this.#back('con.issuer', { code: 'code', state: issuer, iss: EVIL })
  }

  /** @returns the id of the account */
  async connect(): Promise<string> {
    const state = await this.#start('con.start')
    const code = `code-${this.#world.random()}`
    this.#world.secrets.learn('code', code)
    const done = await this.#back('con.back', { code, state })
    await this.#back('con.back.again', { code, state })
    return parameterOf(header(done, 'location') ?? '', 'account') ?? 'no-account'
  }

  /** @returns the state that the provider was given */
  async #start(label: string): Promise<string> {
    const url = this.#world.url(`${this.#path}/start?state=${encodeURIComponent(STATE)}`)
    const answer = await this.#owner.visit(label, url)
    const state = parameterOf(header(answer, 'location') ?? '', 'state') ?? 'no-state'
    this.#world.secrets.learn('state', state)
    return state
  }

  #back(
    label: string,
    parameters: Readonly<Record<string, string>>,
    browser: Browser = this.#owner,
  ): Promise<Answered> {
    const query = new URLSearchParams(parameters).toString()
    return browser.visit(label, this.#world.url(`${this.#path}/redirect?${query}`), {
      headers: { 'Sec-Fetch-Site': 'cross-site' },
    })
  }
}

async function useAccount(world: World, path: string, id: string): Promise<void> {
  const { namespace } = world.profile
  const client = await world.clients.shared('con')
  const scope = `${namespace}.accounts:GET,DELETE`
  const { access } = await world.clients.tokens('con.tokens', client, { scope })
  const other = await world.clients.tokens('con.other', client)
  const ask = (label: string, method: string, token: string, at: string) =>
    world.send(label, `${path}/${at}`, {
      method,
      headers: token === '' ? {} : { Authorization: `Bearer ${token}` },
    })
  await ask('con.refresh.anonymous', 'POST', '', `${id}/refresh`)
  await ask('con.refresh.scope', 'POST', other.access, `${id}/refresh`)
  await ask('con.refresh.unknown', 'POST', access, '0123456789abcdef0123456789abcdef/refresh')
  await ask('con.refresh', 'POST', access, `${id}/refresh?force=true`)
  await ask('con.delete.scope', 'DELETE', other.access, id)
  await ask('con.delete', 'DELETE', access, id)
  await ask('con.delete.again', 'DELETE', access, id)
  world.note('con.account', id)
}

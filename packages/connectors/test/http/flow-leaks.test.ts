import { inspect } from 'node:util'
import { sqliteStore } from '@svc/store/sqlite'
import type { BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import {
  CALLBACK_URL,
  type ConnectorsServer,
  startConnectors,
} from '../support/connectors-server.ts'
import { begin } from '../support/flow-steps.ts'

/** connectors.md 3.3 (2), 13; security.md 102 */
describe('a whole flow over the callback host', () => {
  let server: ConnectorsServer

  beforeEach(async () => {
    server = await startConnectors({
      store: sqliteStore({ file: ':memory:' }),
      connectors: { callbackUrl: CALLBACK_URL },
    })
    await server.putType({ pkce: 'S256' })
  })
  afterEach(async () => {
    await server.close()
    await server.store.close()
  })

  it('shows no token, code, verifier, client secret, binder or state where it does not belong', async () => {
    const browser = server.browser()
    const begun = await begin(browser, '/accounts/bank/start?nonce=nonce-of-app')
    const atProvider = await browser.follow(begun.answer)
    const hop = await browser.follow(atProvider)
    const end = await browser.follow(hop)
    const again = await browser.get(atProvider.location ?? '')
    const [exchange] = server.provider.requestsOf('token')
    const [account] = await server.accountsOf()
    const fields = await server.connectors.fieldsForConnector(
      server.alice,
      account ?? expect.fail('there is no account'),
    )
    const code = new URL(atProvider.location ?? '').searchParams.get('code') ?? ''
    const secrets = {
      accessToken: String(fields['access_token']),
      code,
      verifier: exchange?.parameters['code_verifier'] ?? '',
      clientSecret: 'secret-1',
      binder: begun.answer.setCookie('__Host-svc_acct')?.value ?? '',
      state: begun.state,
      ticket: new URL(hop.location ?? '').searchParams.get('ticket') ?? '',
    }
    for (const [name, secret] of Object.entries(secrets)) {
      expect(secret.length, name).to.be.at.least(8)
      for (const line of server.logged) expect(line, name).not.to.include(secret)
      expect(JSON.stringify(server.heard), name).not.to.include(secret)
      expect(JSON.stringify(account), name).not.to.include(secret)
      expect(inspect(server.connectors, { depth: 10 }), name).not.to.include(secret)
    }
    const shown = (answer: BrowserResponse, ...besides: (keyof typeof secrets)[]): void => {
      const text = answer.text + JSON.stringify(answer.headers)
      for (const [name, secret] of Object.entries(secrets)) {
        const isMeant = (besides as string[]).includes(name)
        expect(text.includes(secret), `${name} at ${new URL(answer.url).host}`).to.equal(isMeant)
      }
    }
    shown(begun.answer, 'binder', 'state')
    shown(hop, 'ticket')
    shown(end)
    shown(again)
  })
})

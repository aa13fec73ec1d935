import { type BrowserResponse, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import type { TestHost } from './test-host.ts'

/** A client of `/mcp` whose owner allowed it everything that it asked for. */
export interface ConnectedAssistant {
  readonly id: string
  readonly token: string
  /** `tools/call`. */
  call(name: string, given?: object): Promise<BrowserResponse>
  /** What the tool gave, or the error that it answered. */
  result(name: string, given?: object): Promise<unknown>
}

export async function connectAssistant(host: TestHost, scope: string): Promise<ConnectedAssistant> {
  const { origin } = host.instance
  const party = relyingParty({ issuer: origin, port: host.host.port })
  const { client_id: id } = await party.register()
  const pending = await party.authorize({ scope, parameters: { resource: `${origin}/mcp` } })
  const owner = await host.browser()
  const form = (await owner.get(pending.url)).page().form('/auth/authorize')
  // Of this form the owner's choice alone is another: everything that was asked for, rule by rule.
  const fields = [
    ...form.fields.filter(([name]) => !/^(?:choice$|group-|permission-)/.test(name)),
    ['choice', '1'] as const,
    ...scope.split(' ').map((_, place) => [`permission-${place}`, '1'] as const),
  ]
  const answer = await owner.post('/auth/authorize', fields)
  const { access_token: token } = await party.exchange(answer.location ?? '', pending)
  const call = (name: string, given?: object) => callTool(host, token, name, given)
  return {
    id,
    token,
    call,
    async result(name, given) {
      const called = await call(name, given)
      expect(called.status, called.text).to.equal(200)
      const { result: found } = called.json<{
        result: { structuredContent?: unknown; content: { text: string }[] }
      }>()
      return found.structuredContent ?? JSON.parse(found.content[0]?.text ?? 'null')
    },
  }
}

export async function callTool(
  host: TestHost,
  token: string,
  name: string,
  given: object = {},
): Promise<BrowserResponse> {
  return host.call(token, 'POST', '/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given },
  })
}

import type { Instance } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { indexKey } from '@svc/store'
import { expect } from 'chai'
import type { ConnectorsServer } from './connectors-server.ts'

/** What `start` sent a browser off with. */
export interface Begun {
  readonly answer: BrowserResponse
  /** Parameters for the provider. */
  readonly parameters: URLSearchParams
  /** Ours, for the provider. */
  readonly state: string
}

/** Sends a browser to `start`, or to another path of that kind. @throws AssertionError when it goes nowhere */
export async function begin(browser: BrowserClient, path = '/accounts/bank/start'): Promise<Begun> {
  const answer = await browser.get(path)
  expect(answer.status, answer.text).to.equal(302)
  const { searchParams: parameters } = new URL(answer.location ?? '')
  return { answer, parameters, state: parameters.get('state') ?? '' }
}

/** Lets the provider allow it. @returns address of its answer */
export async function allow(browser: BrowserClient, begun: Begun): Promise<string> {
  const answer = await browser.follow(begun.answer)
  expect(answer.status, answer.text).to.equal(302)
  return answer.location ?? ''
}

/** From `start` to the provider's answer, which is not looked at yet. */
export async function beginAndAllow(browser: BrowserClient, path?: string): Promise<string> {
  return allow(browser, await begin(browser, path))
}

/** A whole flow, the provider's answer changed. @returns what the app gets */
export async function connect(
  browser: BrowserClient,
  path?: string,
  change: (answer: URLSearchParams) => void = () => {},
): Promise<URLSearchParams> {
  const url = new URL(await beginAndAllow(browser, path))
  change(url.searchParams)
  return appQuery(await browser.get(url.href))
}

/** Query of the redirect to an app. @throws AssertionError for any other answer */
export function appQuery(answer: BrowserResponse): URLSearchParams {
  expect(answer.status, answer.text).to.equal(302)
  return new URL(answer.location ?? '').searchParams
}

/** How many flows of an instance wait for an answer; at most 100 are counted. */
export async function liveStates(
  { store, alice }: Pick<ConnectorsServer, 'store' | 'alice'>,
  instance: Pick<Instance, 'id'> = alice,
): Promise<number> {
  return (await store.list(indexKey(instance.id, 'account-states'))).records.length
}

/** Status and code of a JSON:API answer. */
export function refusalOf(answer: BrowserResponse): readonly [number, string | undefined] {
  return [answer.status, errorCode(answer)]
}

/** Code of a JSON:API answer. */
export function errorCode(answer: BrowserResponse): string | undefined {
  return answer.json<{ errors?: readonly { code: string }[] }>().errors?.[0]?.code
}

export const JSON_API = { accept: 'application/vnd.api+json' } as const

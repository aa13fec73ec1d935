import type { Instance } from '@svc/platform'
import type { BrowserClient } from '@svc/testkit'
import { expect } from 'chai'
import {
  changeOwner,
  enroll,
  JSON_ONLY,
  lastPasscode,
  otherThan,
  passStep1,
  passStep2,
} from './second-step.ts'
import { createAlice, type UiServer } from './ui-server.ts'

/** Where a token was made. */
export interface Scene {
  readonly server: UiServer
  readonly browser: BrowserClient
  readonly instance: Instance
}

/** The one answer to every dead token. */
export const EXPIRED = {
  error: 'this code is no longer valid, start again',
  code: 'two_factor_expired',
}

/** Ways for a token to be dead, with what makes it so. */
export const DEAD_TOKENS: readonly [
  what: string,
  kill: (scene: Scene, token: string) => Promise<string>,
][] = [
  ['missing', async () => ''],
  ['malformed', async () => 'x'],
  ['changed', async (_scene, token) => changed(token)],
  ['too long', async (_scene, token) => token.repeat(3)],
  ['of another instance', tokenOfBob],
  ['expired', afterFiveMinutes],
  ['used', used],
  ['tried five times', triedFiveTimes],
  ['replaced', replaced],
  ['of an earlier passphrase', ofEarlierPassphrase],
  ['of an earlier session key', ofEarlierKey],
]

/** Those that the server knows nothing about: it cannot know where they were to lead. */
export const UNKNOWN_TOKENS: ReadonlySet<string> = new Set([
  'missing',
  'malformed',
  'changed',
  'too long',
  'of another instance',
])

function changed(token: string): string {
  return token.slice(0, 50) + otherThan(token.slice(50, 56)) + token.slice(56)
}

async function tokenOfBob({ server }: Scene): Promise<string> {
  const { instance: bob } = await createAlice(server, { domain: 'bob.example.com' })
  await enroll(server, bob, 'mail')
  return passStep1(server.browser('https://bob.example.com'))
}

async function afterFiveMinutes({ server }: Scene, token: string): Promise<string> {
  server.clock.advance(300_001)
  return token
}

async function used({ server, browser }: Scene, token: string): Promise<string> {
  expect((await passStep2(browser.another(), token, lastPasscode(server))).status).to.equal(302)
  return token
}

async function triedFiveTimes({ browser }: Scene, token: string): Promise<string> {
  for (let at = 0; at < 5; at += 1) {
    const answer = await passStep2(browser, token, 'wrong', {}, JSON_ONLY)
    expect(answer.json()).to.include({ code: 'two_factor_invalid' })
  }
  return token
}

async function replaced({ browser }: Scene, token: string): Promise<string> {
  const answer = await browser.post('/auth/twofactor/resend', { 'two-factor-token': token })
  expect(answer.status).to.equal(200)
  return token
}

async function ofEarlierPassphrase({ server, instance }: Scene, token: string): Promise<string> {
  await changeOwner(server, instance, (owner) => ({ ...owner, securityStamp: 'another' }))
  return token
}

async function ofEarlierKey({ server, instance }: Scene, token: string): Promise<string> {
  const { keyring } = server.oauth
  await server.store.write(await keyring.replaceSessionKey(instance))
  await keyring.replaced(instance)
  return token
}

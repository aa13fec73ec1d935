import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { authenticatorApp } from '../../test/support/authenticators.ts'
import type { Acknowledged } from '../support/ledger.ts'
import { withEntry } from './record.ts'
import { hasSession, logIn } from './session-story.ts'
import {
  appOf,
  ask,
  askAdmin,
  need,
  randomName,
  randomPassphrase,
  type Story,
  visitorOf,
  type World,
} from './world.ts'

/** Creates an instance that nobody has onboarded. @returns the token of its onboarding link */
export async function createOwner(world: World, domain: string): Promise<string> {
  const { onboardingUrl } = await askAdmin<{ onboardingUrl: string }>(world, 'POST', '/instances', {
    domain,
    email: 'owner@mail.example',
    publicName: 'before',
  })
  return new URL(onboardingUrl).searchParams.get('registerToken') ?? ''
}

/** Chooses the first passphrase. */
export async function onboard(
  world: World,
  domain: string,
  token: string,
  passphrase: string,
): Promise<BrowserResponse> {
  const form = { register_token: token, passphrase, iterations: '650000' }
  return need(await ask(visitorOf(world, domain), '/settings/passphrase', { form }), 200, 302)
}

/** An instance of its own: onboarded, given another passphrase or protected by a second step, and deleted. */
export const passphraseStory: Story = (world) => playOwner(world, changePassphrase)
export const factorStory: Story = (world) => playOwner(world, protect)

async function playOwner(world: World, act: typeof protect): Promise<void> {
  const { ledger } = world
  const domain = `owner-${randomName()}.example.com`
  const path = `/instances/${domain}`
  const exists = async (): Promise<boolean> =>
    (await ask(visitorOf(world, domain), '/public/prelogin')).status !== 404

  const [registerToken, created] = await ledger.change(
    () => createOwner(world, domain),
    (token) => ({
      kind: 'instance created',
      harm: 'lost',
      holds: async () => token !== '' && (await exists()),
    }),
  )
  const noted = (event: string, change: Acknowledged): Acknowledged =>
    withEntry(world, { domain, event }, change)
  const passphrase = randomPassphrase()
  const logsIn = async (value: string): Promise<boolean> =>
    (await logIn(visitorOf(world, domain), value)).status === 200
  const [, onboarded] = await ledger.change(
    () => onboard(world, domain, registerToken, passphrase),
    () =>
      noted('owner.onboarded', {
        kind: 'owner onboarded',
        harm: 'lost',
        holds: () => logsIn(passphrase),
      }),
    [created],
  )
  const publicName = randomName()
  const [, updated] = await ledger.change(
    () => askAdmin(world, 'PATCH', path, { publicName }),
    () =>
      withEntry(
        world,
        { domain, event: 'instance.changed' },
        {
          kind: 'instance updated',
          harm: 'lost',
          holds: async () =>
            (await askAdmin<{ publicName: string }>(world, 'GET', path)).publicName === publicName,
        },
      ),
  )
  const held = await act(world, domain, passphrase, onboarded)
  await ledger.change(
    () => askAdmin(world, 'DELETE', path),
    () => ({ kind: 'instance deleted', harm: 'revived', holds: async () => !(await exists()) }),
    [updated, ...held],
  )
}

async function changePassphrase(
  world: World,
  domain: string,
  passphrase: string,
  onboarded: Acknowledged,
): Promise<readonly Acknowledged[]> {
  const { ledger } = world
  const bystander = visitorOf(world, domain)
  need(await logIn(bystander, passphrase), 200)
  const { browser, token } = await appOf(world, domain, 'settings')
  const next = randomPassphrase()
  const [, changed] = await ledger.change(
    async () =>
      need(
        await ask(browser, '/settings/passphrase', {
          method: 'PUT',
          token,
          json: { current_passphrase: passphrase, new_passphrase: next, iterations: 650_000 },
        }),
        200,
        204,
      ),
    () =>
      withEntry(
        world,
        { domain, event: 'passphrase.changed' },
        {
          kind: 'passphrase changed',
          harm: 'lost',
          holds: async () =>
            (await logIn(visitorOf(world, domain), next)).status === 200 &&
            (await logIn(visitorOf(world, domain), passphrase)).status === 401 &&
            !(await hasSession(bystander)),
        },
      ),
    [onboarded],
  )
  return [changed]
}

/** Switches an authenticator app on, uses a recovery code, trusts a browser, and takes all of it back. */
async function protect(
  world: World,
  domain: string,
  passphrase: string,
  onboarded: Acknowledged,
): Promise<readonly Acknowledged[]> {
  const { ledger } = world
  const { browser, token } = await appOf(world, domain, 'settings')
  const settings = async (method: string, path: string, json?: unknown): Promise<BrowserResponse> =>
    ask(browser, path, { method, token, ...(json !== undefined && { json }) })
  const begun = need(
    await settings('POST', '/settings/factors/totp', await confirm(world, domain, passphrase)),
    200,
  )
  const nextCode = authenticatorApp(begun.json<{ secret: string }>().secret)
  const shown = need(
    await settings('PUT', '/settings/factors/totp', { code: await nextCode() }),
    200,
  )
  const { codes } = shown.json<{ codes: readonly string[] }>()
  const asksMore = async (): Promise<boolean> =>
    (await logIn(visitorOf(world, domain), passphrase)).text.includes('two_factor_token')
  const [, protectedNow] = await ledger.change(
    async () => need(await settings('PUT', '/settings/factors/totp', { kept: true }), 204),
    () =>
      withEntry(
        world,
        { domain, event: 'factor.added' },
        { kind: 'factor added', harm: 'lost', holds: asksMore },
      ),
    [onboarded],
  )

  const [code = '', another = ''] = codes
  const trusting = visitorOf(world, domain)
  const [trusted, spent] = await ledger.change(
    async () => need(await passStep(trusting, passphrase, code), 200),
    () =>
      withEntry(
        world,
        { domain, event: 'recovery_code.used' },
        {
          kind: 'recovery code used',
          harm: 'used twice',
          holds: async () =>
            (await passStep(visitorOf(world, domain), passphrase, code)).status === 401,
        },
      ),
  )
  const deviceToken =
    trusted.json<Readonly<Record<string, string>>>()['two_factor_trusted_device_token']
  const skips = async (): Promise<boolean> => {
    const more = { 'trusted-device-token': deviceToken ?? '' }
    return !(await logIn(visitorOf(world, domain), passphrase, more)).text.includes(
      'two_factor_token',
    )
  }
  const list = need(await settings('GET', '/settings/trusted_devices'), 200)
  const [device] = list.json<{ data: readonly { id: string }[] }>().data
  const [, distrusted] = await ledger.change(
    async () =>
      need(await settings('DELETE', `/settings/trusted_devices/${device?.id ?? ''}`), 204),
    () =>
      withEntry(
        world,
        { domain, event: 'device.forgotten' },
        {
          kind: 'trusted browser removed',
          harm: 'revived',
          holds: async () => !(await skips()),
        },
      ),
  )
  const fields = await confirm(world, domain, passphrase, another)
  const [, removed] = await ledger.change(
    async () => need(await settings('DELETE', '/settings/factors/totp', fields), 204),
    () =>
      withEntry(
        world,
        { domain, event: 'factor.removed' },
        {
          kind: 'factor removed',
          harm: 'revived',
          holds: async () => !(await asksMore()),
        },
      ),
    [protectedNow, spent, distrusted],
  )
  return [removed]
}

/** Logs in through the second step, and has the browser trusted. */
async function passStep(
  browser: BrowserClient,
  passphrase: string,
  code: string,
): Promise<BrowserResponse> {
  const first = need(await logIn(browser, passphrase), 200)
  const { two_factor_token: token = '' } = first.json<{ two_factor_token?: string }>()
  return ask(browser, '/auth/twofactor', {
    form: {
      'two-factor-token': token,
      'two-factor-passcode': code,
      'two-factor-generate-trusted-device-token': 'true',
    },
  })
}

/** Confirms to the settings app, with a code where one is asked for. */
async function confirm(
  world: World,
  domain: string,
  passphrase: string,
  code?: string,
): Promise<Readonly<Record<string, string>>> {
  const { browser } = await appOf(world, domain, 'settings')
  let answer = need(
    await ask(browser, '/auth/confirm', {
      form: { passphrase, redirect: 'settings/#/factors', state: 'a state' },
    }),
    200,
  )
  const { two_factor_token: token } = answer.json<{ two_factor_token?: string }>()
  if (token !== undefined) {
    const form = { 'two-factor-token': token, 'two-factor-passcode': code ?? '' }
    answer = need(await ask(browser, '/auth/twofactor', { form }), 200)
  }
  const target = new URL(answer.json<{ redirect: string }>().redirect)
  return {
    confirmation_code: target.searchParams.get('code') ?? '',
    confirmation_state: target.searchParams.get('state') ?? '',
  }
}

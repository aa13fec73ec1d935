import type { Instance } from '@svc/platform'
import { expect } from 'chai'
import { listTrustedDevices } from '../../src/factors/trusted-devices.ts'
import { ownerOf, trustBrowser } from '../support/second-step.ts'
import { logIn, startUi, type UiServer, withAlice } from '../support/ui-server.ts'

describe('ways to log in, on the host’s authority (login.md 8)', () => {
  let server: UiServer
  let instance: Instance
  beforeEach(async () => {
    ;({ server, instance } = await withAlice(startUi()))
  })

  async function refusal(work: Promise<unknown>): Promise<string> {
    try {
      await work
    } catch (error) {
      return String((error as { code?: unknown }).code)
    }
    return 'none'
  }

  it('tells them', async () => {
    const { owners } = server.ui
    expect(await owners.access(instance)).to.deep.equal({
      authMode: 'basic',
      magicLink: false,
      passwordDefined: true,
    })
    await owners.setAuthMode(instance, 'two_factor_mail')
    await owners.setMagicLink(instance, true)
    expect(await owners.access(instance)).to.deep.equal({
      authMode: 'two_factor_mail',
      magicLink: true,
      passwordDefined: true,
    })
  })

  it('switches passcodes by mail on and everything off, with the browsers that were trusted', async () => {
    const { owners } = server.ui
    const { store } = server
    await owners.setAuthMode(instance, 'two_factor_mail')
    const trusted = async (): Promise<number> =>
      (await listTrustedDevices({ store }, instance, await ownerOf(server, instance))).length
    await trustBrowser(server, server.browser())
    expect(await trusted()).to.equal(1)
    await owners.setAuthMode(instance, 'two_factor_mail')
    expect(await trusted()).to.equal(1)
    await owners.setAuthMode(instance, 'basic')
    expect(await trusted()).to.equal(0)
    expect(await ownerOf(server, instance)).not.to.have.property('factors')
    expect((await logIn(server.browser())).status).to.equal(302)
  })

  it('makes no code before onboarding', async () => {
    const { owners } = server.ui
    const { instance: fresh } = await owners.createInstance({ domain: 'new.example.com' })
    for (const work of [
      owners.createSessionCode(fresh),
      owners.createMagicLinkCode(fresh),
      owners.createEmailVerifiedCode(fresh),
    ]) {
      expect(await refusal(work)).to.equal('onboarding_needed')
    }
    expect(await owners.access(fresh)).to.include({ passwordDefined: false })
  })

  it('makes no link while magic links are off', async () => {
    expect(await refusal(server.ui.owners.createMagicLinkCode(instance))).to.equal(
      'magic_link_disabled',
    )
  })

  it('makes an owner who logs in with mailed links only', async () => {
    const { owners } = server.ui
    const created = await owners.createInstance({ domain: 'bob.example.com' }, undefined, {
      magicLink: true,
    })
    expect(created).not.to.have.property('onboardingUrl')
    const bob = created.instance
    expect(await owners.isOnboarded(bob)).to.equal(true)
    expect(await owners.access(bob)).to.deep.equal({
      authMode: 'basic',
      magicLink: true,
      passwordDefined: false,
    })
    const { url } = await owners.createMagicLinkCode(bob)
    const browser = server.browser('https://bob.example.com')
    const answer = await browser.submit(
      (await browser.get(url)).page().form('/auth/magic_link/open'),
    )
    expect(answer.setCookie('svcsessid')).not.to.equal(undefined)
    // Either would leave no way in.
    expect(await refusal(owners.setAuthMode(bob, 'two_factor_mail'))).to.equal('conflict')
    expect(await refusal(owners.setMagicLink(bob, false))).to.equal('conflict')
    expect(await refusal(owners.onboardWithMagicLink(bob))).to.equal('already_onboarded')
  })

  it('never leaves an owner with a passphrase that nobody knows and no link', async () => {
    const { store } = server
    const states: string[] = []
    const { instance: bob } = await server.ui.owners.createInstance({ domain: 'bob.example.com' })
    const write = store.write.bind(store)
    store.write = async (changes) => {
      const result = await write(changes)
      const { magicLink, passwordDefined } = await server.ui.owners.access(bob)
      const isOnboarded = await server.ui.owners.isOnboarded(bob)
      states.push(`${isOnboarded}, ${magicLink}, ${passwordDefined}`)
      return result
    }
    await server.ui.owners.onboardWithMagicLink(bob)
    expect(new Set(states)).to.deep.equal(new Set(['true, true, false']))
  })

  it('makes an owner with a passphrase and magic links', async () => {
    const { owners } = server.ui
    const { instance: bob } = await owners.createInstance(
      { domain: 'bob.example.com' },
      'correct horse battery staple',
      { magicLink: true },
    )
    expect(await owners.access(bob)).to.include({ magicLink: true, passwordDefined: true })
  })
})

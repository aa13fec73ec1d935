import { fileURLToPath } from 'node:url'
import { type Instance, type InstanceId, NO_ACTIVITY } from '@svc/platform'
import type { Store } from '@svc/store'
import { eachStore, type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { createHostApps, type HostApps } from '../../src/apps/registry.ts'

const HOME = fileURLToPath(new URL('../../apps/home', import.meta.url))
/** The registry asks an instance for its id only. */
const ALICE = { id: 'alice' as InstanceId } as Instance
const BOB = { id: 'bob' as InstanceId } as Instance

describe('installed apps', () => {
  eachStore((open, name) => {
    const opened: HostApps[] = []
    let clock: FakeClock
    beforeEach(() => {
      clock = fakeClock()
    })
    afterEach(async () => {
      for (const apps of opened.splice(0)) await apps.close()
    })

    async function openApps(store: Store, namespace = 'io.svc'): Promise<HostApps> {
      const apps = await createHostApps({
        store,
        clock,
        namespace,
        folders: [HOME],
        initial: ['home'],
        activity: NO_ACTIVITY,
      })
      opened.push(apps)
      return apps
    }

    it('starts an instance with its first apps, and keeps instances apart', async () => {
      const store = await open({ clock })
      const apps = await openApps(store)
      await store.write(apps.initialChanges(ALICE.id))
      expect((await apps.listInstalled(ALICE)).map(({ slug }) => slug)).to.deep.equal(['home'])
      expect(await apps.listInstalled(BOB)).to.deep.equal([])
      expect(await apps.available(BOB, 'home')).to.have.property('slug', 'home')
      for (const slug of ['__proto__', 'constructor', 'toString']) {
        expect(await apps.installed(ALICE, slug), slug).to.equal(undefined)
        expect(await apps.available(ALICE, slug), slug).to.equal(undefined)
      }
    })

    it('names types by the prefix of the server', async () => {
      const apps = await openApps(await open({ clock }), 'org.example')
      const home = await apps.install(ALICE, 'home')
      const types = Object.values(home.permissions).map(({ type }) => type)
      expect(types).to.include('org.example.notes')
      expect(types.filter((type) => !type.startsWith('org.example.'))).to.deep.equal([])
    })

    it('installs and uninstalls, also twice', async () => {
      const apps = await openApps(await open({ clock }))
      await apps.install(ALICE, 'home')
      await apps.install(ALICE, HOME)
      expect(await apps.installed(ALICE, 'home')).to.have.property('name')
      expect(await apps.uninstall(ALICE, 'home')).to.equal(true)
      expect(await apps.uninstall(ALICE, 'home')).to.equal(false)
      expect(await apps.installed(ALICE, 'home')).to.equal(undefined)
    })

    if (name !== 'Redis') return
    it('tells other processes within a second', async () => {
      const store = await open({ clock })
      const here = await openApps(store)
      const there = await openApps(await open({ clock, sameAs: store }))
      await here.install(ALICE, 'home')
      expect(await there.installed(ALICE, 'home')).to.have.property('slug', 'home')
      await here.uninstall(ALICE, 'home')
      // Even if the message were lost: what is known is trusted for a second only.
      clock.advance(1000)
      expect(await there.installed(ALICE, 'home')).to.equal(undefined)
    })
  })
})

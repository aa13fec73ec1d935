import { anyStore } from '@svc/testkit'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import type { InstanceId } from '../../../src/instances/instance.ts'
import { createRevocations, type Revocation } from '../../../src/events/revocations.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }
const ENDED: Revocation = { instanceId: 'i' as InstanceId, kind: 'grant', id: 'g' }

describe('createRevocations', () => {
  anyStore((open) => {
    it('tells its own listeners before publish resolves', async () => {
      const store = await open()
      const revocations = createRevocations({ bus: store.bus, log })
      const heard: Revocation[] = []
      revocations.listen({ onRevoked: (each) => heard.push(each), onGap: () => {} })
      const published = revocations.publish(ENDED)
      expect(heard).to.deep.equal([ENDED])
      await published
      await revocations.close()
    })

    it('tells the listeners of others on the same store', async () => {
      const store = await open()
      const here = createRevocations({ bus: store.bus, log })
      const there = createRevocations({ bus: store.bus, log })
      const heard = new Promise<Revocation>((resolve) => {
        there.listen({ onRevoked: resolve, onGap: () => {} })
      })
      await store.bus.publish('warm-up', null)
      await here.publish(ENDED)
      expect(await heard).to.deep.equal(ENDED)
      await here.close()
      await there.close()
    })

    it('takes a message of a later version for a gap, and nothing else', async () => {
      const store = await open()
      const revocations = createRevocations({ bus: store.bus, log })
      const heard: Revocation[] = []
      const gap = new Promise<void>((resolve) => {
        revocations.listen({ onRevoked: (each) => heard.push(each), onGap: resolve })
      })
      await store.bus.publish('oauth.revoked', { ...ENDED, v: 2 })
      await gap
      expect(heard).to.deep.equal([])
      await revocations.close()
    })

    it('ignores messages that are not its own', async () => {
      const store = await open()
      const revocations = createRevocations({ bus: store.bus, log })
      const heard: Revocation[] = []
      const done = new Promise<void>((resolve) => {
        revocations.listen({
          onRevoked: (each) => {
            heard.push(each)
            if (each.id === 'last') resolve()
          },
          onGap: () => {},
        })
      })
      for (const message of [null, 'x', [], { kind: 'grant' }, { ...ENDED, kind: 'constructor' }]) {
        await store.bus.publish('oauth.revoked', message)
      }
      await store.bus.publish('oauth.revoked', { ...ENDED, id: 'last' })
      await done
      expect(heard.map(({ id }) => id)).to.deep.equal(['last'])
      await revocations.close()
    })
  })
})

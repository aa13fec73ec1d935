import type { Store } from '@svc/store'
import { anyStore } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import type { InstanceId } from '../../../src/instances/instance.ts'
import { createRevocations, type Revocation } from '../../../src/events/revocations.ts'
import { SILENT as log } from '../../support/open-instances.ts'

const ENDED: Revocation = { instanceId: 'i' as InstanceId, kind: 'grant', id: 'g' }

describe('createRevocations', () => {
  anyStore((open) => {
    let store: Store
    let revocations: ReturnType<typeof createRevocations>
    let heard: Revocation[]
    beforeEach(async () => {
      store = await open()
      revocations = createRevocations({ bus: store.bus, log })
      heard = []
    })
    afterEach(() => revocations.close())

    /** Resolves when the last one is heard, or a gap. */
    function listening(): Promise<void> {
      return new Promise((resolve) => {
        const onRevoked = (each: Revocation): void => {
          heard.push(each)
          if (each.id === 'last') resolve()
        }
        revocations.listen({ onRevoked, onGap: resolve })
      })
    }

    it('tells its own listeners before publish resolves', async () => {
      void listening()
      const published = revocations.publish(ENDED)
      expect(heard).to.deep.equal([ENDED])
      await published
    })

    it('tells the listeners of others on the same store', async () => {
      const there = createRevocations({ bus: store.bus, log })
      const told = new Promise<Revocation>((resolve) => {
        there.listen({ onRevoked: resolve, onGap: () => {} })
      })
      await store.bus.publish('warm-up', null)
      await revocations.publish(ENDED)
      expect(await told).to.deep.equal(ENDED)
      await there.close()
    })

    it('takes a message of a later version for a gap, and nothing else', async () => {
      const gap = listening()
      await store.bus.publish('oauth.revoked', { ...ENDED, v: 2 })
      await gap
      expect(heard).to.deep.equal([])
    })

    it('ignores messages that are not its own', async () => {
      const done = listening()
      for (const message of [null, 'x', [], { kind: 'grant' }, { ...ENDED, kind: 'constructor' }]) {
        await store.bus.publish('oauth.revoked', message)
      }
      await store.bus.publish('oauth.revoked', { ...ENDED, id: 'last' })
      await done
      expect(heard.map(({ id }) => id)).to.deep.equal(['last'])
    })
  })
})

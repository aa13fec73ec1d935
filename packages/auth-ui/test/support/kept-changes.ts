import type { Store } from '@svc/store'
import type { AssistantChange, AssistantChanges } from '../../src/ports.ts'

export interface KeptChanges extends AssistantChanges {
  /** What an assistant changed. */
  add(change: Partial<AssistantChange> & Pick<AssistantChange, 'clientId' | 'id'>): void
  /** Somebody else changed the same thing since. */
  changeSince(id: string): void
}

/** A host that keeps what assistants changed, by the revision before it. */
export function keptChanges(store: () => Pick<Store, 'write'>): KeptChanges {
  const kept = new Map<string, AssistantChange>()
  const changed = new Set<string>()
  return {
    add(change) {
      kept.set(change.id, {
        clientName: 'Helper',
        time: 0,
        type: 'io.svc.contacts',
        title: 'Bob',
        isDeleted: false,
        isBack: false,
        ...change,
      })
    },
    changeSince(id) {
      changed.add(id)
    },
    find: async (_instance, clientId, writes) =>
      writes.map(({ before = '' }) => {
        const change = kept.get(before)
        return change?.clientId === clientId ? change : undefined
      }),
    async list(_instance, { limit, cursor = '0' }) {
      if (!/^\d+$/.test(cursor)) throw new TypeError('malformed cursor')
      const end = Number(cursor) + limit
      const changes = [...kept.values()].toReversed().slice(Number(cursor), end)
      return { changes, ...(end < kept.size && { cursor: String(end) }) }
    },
    async putBack(_instance, { clientId, id, overwrites }, also) {
      const change = kept.get(id)
      if (change === undefined || change.clientId !== clientId || change.isBack) return 'gone'
      if (changed.has(id) && !overwrites) return 'changed_since'
      kept.set(id, { ...change, isBack: true })
      await store().write(also(change))
      return 'put_back'
    },
  }
}

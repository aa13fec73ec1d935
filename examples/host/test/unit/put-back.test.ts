import type { AssistantChanges } from '@svc/auth-ui'
import type { DataPort, ToolCaller } from '@svc/mcp'
import { DAY_MS, type Instance } from '@svc/platform'
import { recordKey } from '@svc/store'
import { eachStore, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { createDocumentChanges } from '../../src/assistants/document-changes.ts'
import { createAssistantChanges } from '../../src/assistants/put-back.ts'
import { createDocumentStore, type DocumentStore } from '../../src/documents/document-store.ts'
import { DocumentVersions } from '../../src/documents/document-versions.ts'

const ALICE = { id: 'alice' } as Instance // Only the id is looked at.
const NOTES = 'io.svc.notes'
const AT_ONCE = 12

const callerOf = (id: string): ToolCaller =>
  // What tools ask about a caller.
  ({
    instance: ALICE,
    access: { allows: () => true, client: { id, metadata: { client_name: id } } },
  }) as unknown as ToolCaller

const SAGE = callerOf('sage')

eachStore((open) => {
  describe('what the owner puts back', () => {
    let clock: ReturnType<typeof fakeClock>
    let store: Awaited<ReturnType<typeof open>>
    let documents: DocumentStore
    let versions: DocumentVersions
    let tools: Required<Pick<DataPort, 'remove' | 'update'>>
    let changes: AssistantChanges
    let told: string[]
    beforeEach(async () => {
      clock = fakeClock()
      store = await open({ clock })
      documents = createDocumentStore(store)
      versions = new DocumentVersions({ store, clock })
      told = []
      const events = {
        isServerType: () => false,
        publish: async (_: unknown, verb: string) => {
          told.push(verb)
        },
      }
      const isShared = async (): Promise<boolean> => false
      const isSpaceLow = (): boolean => false
      tools = createDocumentChanges({ documents, versions, events, isShared, isSpaceLow })
      changes = createAssistantChanges({ store, documents, versions, events })
    })
    afterEach(() => store.close())

    const text = async (): Promise<unknown> =>
      (await documents.get(ALICE, NOTES, 'one'))?.fields['text']
    const write = async (value: string): Promise<string> =>
      (await documents.put(ALICE, { type: NOTES, id: 'one', fields: { text: value } }, 'any')) ?? ''
    const update = async (revision: string, value: string, caller = SAGE): Promise<string> => {
      const change = { kind: NOTES, id: 'one', revision, fields: { text: value } }
      return (await tools.update(caller, change, async () => [])).revision
    }
    const remove = (revision: string, caller = SAGE) =>
      tools.remove(caller, { kind: NOTES, id: 'one', revision }, async () => [])
    /** What replaced this revision. */
    async function changeOf(before: string): Promise<string> {
      const writes = [{ id: `${NOTES}/one`, revision: '', before }]
      return (await changes.find(ALICE, 'sage', writes))[0]?.id ?? ''
    }
    const putBack = async (before: string, overwrites = false): Promise<string> => {
      const change = { clientId: 'sage', id: await changeOf(before), overwrites }
      return changes.putBack(ALICE, change, () => [])
    }
    it('comes back once, of any number of presses at once', async () => {
      const first = await write('a')
      await update(first, 'b')
      const outcomes = await Promise.all(Array.from({ length: AT_ONCE }, () => putBack(first)))
      expect(outcomes.filter((outcome) => outcome === 'put_back')).to.have.lengthOf(1)
      expect(outcomes.filter((outcome) => outcome === 'gone')).to.have.lengthOf(AT_ONCE - 1)
      expect(await text()).to.equal('a')
      expect(told).to.deep.equal(['UPDATED', 'UPDATED'])
    })

    it('comes back step by step, the last change first', async () => {
      const first = await write('a')
      const second = await update(first, 'b')
      const third = await update(second, 'c')
      await remove(third)
      expect(await putBack(third)).to.equal('put_back')
      expect(await text()).to.equal('c')
      expect(await putBack(second)).to.equal('put_back')
      expect(await text()).to.equal('b')
      expect(await putBack(first)).to.equal('put_back')
      expect(await text()).to.equal('a')
      expect(told.slice(-3)).to.deep.equal(['CREATED', 'UPDATED', 'UPDATED'])
    })

    it('comes back over what assistants did since, and not again over that', async () => {
      const first = await write('a')
      const second = await update(first, 'b')
      await update(second, 'c', callerOf('other'))
      expect(await putBack(first)).to.equal('put_back')
      expect(await text()).to.equal('a')
      expect(await putBack(first)).to.equal('gone')
    })

    for (const [what, change] of [
      ['wrote', () => write('mine')],
      ['deleted', () => documents.delete(ALICE, NOTES, 'one', 'any')],
    ] as const) {
      it(`asks before it undoes what the owner ${what} since`, async () => {
        const first = await write('a')
        await update(first, 'b')
        await change()
        const mine = await text()
        expect(await putBack(first)).to.equal('changed_since')
        expect(await text()).to.equal(mine)
        expect(await putBack(first, true)).to.equal('put_back')
        expect(await text()).to.equal('a')
      })
    }

    it('is for the owner of that assistant’s change, for 30 days', async () => {
      clock.stop()
      const first = await write('a')
      await update(first, 'b')
      const id = await changeOf(first)
      const other = { clientId: 'other', id, overwrites: true }
      expect(await changes.putBack(ALICE, other, () => [])).to.equal('gone')
      clock.advance(30 * DAY_MS - 1)
      expect((await changes.list(ALICE, { limit: 5 })).changes).to.have.lengthOf(1)
      clock.advance(1)
      expect((await changes.list(ALICE, { limit: 5 })).changes).to.deep.equal([])
      expect(await changes.putBack(ALICE, { ...other, clientId: 'sage' }, () => [])).to.equal(
        'gone',
      )
      expect(await text()).to.equal('b')
    })

    it('is written together with what notes it, or not at all', async () => {
      const first = await write('a')
      await update(first, 'b')
      const change = { clientId: 'sage', id: await changeOf(first), overwrites: false }
      const unmet = {
        op: 'check',
        key: recordKey('alice', 'nothing', 'here'),
        ifPresent: true,
      } as const
      expect(await changes.putBack(ALICE, change, () => [unmet])).to.equal('changed_since')
      expect(await text()).to.equal('b')
      expect((await named())?.value.fields).to.deep.equal({ text: 'a' })

      async function named() {
        return (await versions.named(ALICE, [change.id]))[0]
      }
    })

    it('is gone with the space', async () => {
      await update(await write('a'), 'b')
      await documents.removeAll(ALICE)
      expect((await changes.list(ALICE, { limit: 5 })).changes).to.deep.equal([])
    })
  })

  describe('changes by assistants', () => {
    it('are one, of the same call many times at once, and of several calls one', async () => {
      const clock = fakeClock()
      const store = await open({ clock })
      const documents = createDocumentStore(store)
      const versions = new DocumentVersions({ store, clock })
      const tools = createDocumentChanges({
        documents,
        versions,
        events: { isServerType: () => false, publish: async () => {} },
        isShared: async () => false,
        isSpaceLow: () => false,
      })
      const document = { type: NOTES, id: 'one', fields: { text: 'a', other: 1 } }
      const revision = (await documents.put(ALICE, document, 'absent')) ?? ''
      const seen = { kind: NOTES, id: 'one', revision }
      const same = { ...seen, fields: { text: 'b' } }
      const made = await Promise.all(
        Array.from({ length: AT_ONCE }, () => tools.update(SAGE, same, async () => [])),
      )
      expect(made.filter(({ isNew }) => isNew)).to.have.lengthOf(1)
      expect(new Set(made.map((one) => one.revision)).size).to.equal(1)
      const now = made[0]?.revision ?? ''
      const others = await Promise.allSettled(
        Array.from({ length: AT_ONCE }, (_, n) =>
          tools.update(SAGE, { ...seen, revision: now, fields: { text: `${n}` } }, async () => []),
        ),
      )
      expect(others.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(1)
      const last = (await documents.get(ALICE, NOTES, 'one'))?.rev ?? ''
      const ends = await Promise.all(
        Array.from({ length: AT_ONCE }, () =>
          tools.remove(SAGE, { ...seen, revision: last }, async () => []),
        ),
      )
      expect(ends.filter(({ isNew }) => isNew)).to.have.lengthOf(1)
      await store.close()
    })
  })
})

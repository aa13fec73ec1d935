import type { OutgoingMail } from '@svc/notify'
import type { Store } from '@svc/store'
import type { DevMailbox, Kept, KeptMail } from '../../notifications/development.ts'
import { createKeptList } from './kept-list.ts'

export function createDevMailbox(store: Store, clock: { now(): number }): DevMailbox {
  const kept = createKeptList<OutgoingMail>({
    store,
    clock,
    kind: 'dev-mail',
    index: 'dev-mails',
  })
  return {
    keeps: true,
    send: (mail) => kept.add(mail.instanceId, mail),
    list: async ({ id }) => (await kept.list(id)).map(toMail),
    async get({ id }, name) {
      const found = await kept.get(id, name)
      return found && toMail(found)
    },
    removeAll: ({ id }) => kept.removeAll(id),
  }
}

function toMail({ item: mail, ...about }: Kept<OutgoingMail>): KeptMail {
  return { ...about, mail }
}

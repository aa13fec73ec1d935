import type { MailTransport, OutgoingMail } from '@svc/notify'
import type { Instance } from '@svc/platform'
import type { Store } from '@svc/store'
import { createKeptList, type Kept } from './kept-list.ts'

/** A mail that was not sent. */
export interface KeptMail {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly keptAt: number
  readonly mail: OutgoingMail
}

/** Keeps the last mails of each instance instead of sending them; for development. */
export interface DevMailbox extends MailTransport {
  /** Newest first. */
  list(instance: Instance): Promise<readonly KeptMail[]>
  get(instance: Instance, id: string): Promise<KeptMail | undefined>
  removeAll(instance: Instance): Promise<void>
}

export function createDevMailbox(store: Store, clock: { now(): number }): DevMailbox {
  const kept = createKeptList<OutgoingMail>({
    ...{ store, clock, kind: 'dev-mail', index: 'dev-mails' },
  })
  return {
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

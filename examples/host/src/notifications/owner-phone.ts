import type { OwnerContacts } from '@svc/auth-ui'
import type { OwnerContacts as NotifyContacts } from '@svc/notify'
import type { Instance } from '@svc/platform'
import { recordKey, type Store } from '@svc/store'

/** Numbers that texts of owners go to. */
export interface OwnerPhones extends NotifyContacts, OwnerContacts {
  /** @param phone - as written; absent: none any more */
  setPhone(instance: Instance, phone?: string): Promise<void>
}

/** What is left of a number without what people write between its digits. @see notifications.md 10.1 */
const E164 = /^\+[1-9]\d{6,14}$/

/** Whether texts can go there: international, such as `+33 6 12 34 56 78`. */
export function isPhoneNumber(text: string): boolean {
  return E164.test(text.replaceAll(/[\s.()-]/g, ''))
}

export function createOwnerPhones(store: Store): OwnerPhones {
  const keyOf = ({ id }: Instance) => recordKey(id, 'owner-phone', 'phone')

  async function phone(instance: Instance): Promise<string | undefined> {
    const record = await store.get<{ phone: string }>(keyOf(instance))
    return record?.value.phone
  }

  return {
    phone,
    async setPhone(instance, number) {
      const key = keyOf(instance)
      await store.write([
        number === undefined ? { op: 'delete', key } : { op: 'put', key, value: { phone: number } },
      ])
    },
    async contactOf(instance) {
      const number = await phone(instance)
      return number === undefined ? {} : { phone: number }
    },
  }
}

import type { TellSeal } from '@svc/activity'
import type { Notify } from '@svc/notify'

/** As the page of the record shows it: the first 16 characters, in groups of four. */
function markOf(hash: string): string {
  return hash.slice(0, 16).match(/.{4}/g)?.join(' ') ?? ''
}

/** Puts the end of a chain into the owner's inbox; of one end the second notification is not kept. @see owner.md 5.3 */
export function tellSealsBy(notify: Pick<Notify, 'post'>): TellSeal {
  return async ({ instance, chain, seq, hash }) => {
    await notify.post(instance, {
      originator: 'stack',
      category: 'activity-seal',
      state: `${chain}:${seq}`,
      data: { Seq: seq, Mark: markOf(hash), Hash: hash },
    })
  }
}

import type { InstanceRecord } from './instance.ts'

/** How an instance is kept from changes: for moments while it is read, or out of service altogether. */
export type Hold = 'for-moments' | 'out-of-service'

/** Undefined: it may be changed. */
export function holdOf(
  { frozen, status }: Pick<InstanceRecord, 'frozen' | 'status'>,
  now: number,
): Hold | undefined {
  // What is removed is removed, frozen or not.
  if (status === 'deleting') return undefined
  if (status === 'importing') return 'out-of-service'
  if (frozen === undefined) return undefined
  if (frozen.until === undefined) return 'out-of-service'
  return frozen.until > now ? 'for-moments' : undefined
}

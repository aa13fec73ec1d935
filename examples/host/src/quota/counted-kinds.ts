/**
 * Kinds of records that count with their bytes: what owners, their apps and other servers put here.
 * @see operation.md 8.1
 */
export const COUNTED_KINDS = [
  'account',
  'client',
  'dev-mail',
  'dev-outbox-entry',
  'document',
  'document-before',
  'installed-app',
  'installed-konnector',
  'notification',
  'notification-body',
  'notification-preferences',
  'share-link',
  'sharing-offer',
  'sharing-offers',
] as const

/**
 * Kinds that are written often and have a bound of their own count with that bound, whatever there is of them: most
 * records of an instance and bytes of one. The server's own security records (owner, keys, sessions, grants, codes,
 * login history, counters of tries) do not count at all, so that nothing an owner does to be safe meets the quota.
 */
export const BOUNDED_KINDS: readonly {
  readonly kind: string
  readonly records: number
  readonly bytes: number
}[] = [
  { kind: 'client-use', records: 100, bytes: 160 },
  { kind: 'client-seen', records: 100, bytes: 200 },
  { kind: 'account-refresh', records: 20, bytes: 1024 },
  { kind: 'notification-turn', records: 100, bytes: 160 },
]

/** Bytes of all of them. */
export const BOUNDED_BYTES: number = BOUNDED_KINDS.reduce(
  (sum, { bytes, records }) => sum + bytes * records,
  0,
)

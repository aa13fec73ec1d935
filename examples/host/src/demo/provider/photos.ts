/** Name of the account type that stands for the provider, and of the konnector that uses it. */
export const DEV_ACCOUNT_TYPE = 'demo-photos'

/** What the demo person keeps at the provider. */
export const PHOTOS: readonly {
  readonly id: string
  readonly title: string
  readonly taken_at: string
}[] = [
  { id: 'p1', title: 'Lighthouse in the fog', taken_at: '2026-03-14T07:12:00Z' },
  { id: 'p2', title: 'The first swim', taken_at: '2026-05-02T16:40:00Z' },
  { id: 'p3', title: 'Market at noon', taken_at: '2026-06-21T12:03:00Z' },
  { id: 'p4', title: 'Grandmother at the piano', taken_at: '2026-08-09T18:25:00Z' },
]

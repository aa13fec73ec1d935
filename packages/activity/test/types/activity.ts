// Compiled, never run: what the types promise and refuse.
import {
  type Activity,
  type ActivityOwners,
  createActivity,
  type Verification,
  verifyFile,
} from '@svc/activity'
import type { ActivityLog, Instance, Platform } from '@svc/platform'

type Equals<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function assertType<_Holds extends true>(): void {}

export async function checkActivity(
  platform: Platform,
  owners: ActivityOwners,
  instance: Instance,
): Promise<void> {
  const activity = createActivity({ platform, owners, retentionDays: 30 })
  assertType<Equals<typeof activity, Activity>>()
  assertType<Equals<typeof activity.log, ActivityLog>>()
  const found = await activity.verify(instance)
  assertType<Equals<typeof found, Verification>>()
  activity.log.pending(instance, { event: 'hint.changed', actor: { kind: 'owner' } })
  const { fault } = await verifyFile('activity.jsonl', { previous: new Map() })
  assertType<
    Equals<
      NonNullable<typeof fault>['reason'],
      'changed' | 'gap' | 'head' | 'missing' | 'moved' | 'rewritten'
    >
  >()

  // @ts-expect-error somebody knows who may look
  createActivity({ platform })
  // @ts-expect-error events are those of the table
  activity.log.pending(instance, { event: 'hint.read', actor: { kind: 'owner' } })
  // @ts-expect-error somebody did it
  activity.log.pending(instance, { event: 'hint.changed' })
}

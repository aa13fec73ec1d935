import type { NotificationRecord } from '@svc/notify'
import { until } from '@svc/testkit'
import type { TestHost } from './test-host.ts'

type Host = Pick<TestHost, 'host' | 'instance'>

/** Notifications of a category that the owner got, newest first. */
export async function told(
  { host, instance }: Host,
  category: string,
): Promise<readonly NotificationRecord[]> {
  const { notifications } = await host.app.notify.operator.list(instance)
  return notifications.filter((each) => each.category === category && each.status !== 'skipped')
}

/** Waits until there are that many. */
export function toldTimes(host: Host, category: string, count: number): Promise<unknown> {
  return until(async () => (await told(host, category)).length === count)
}

/** Waits for a mail with this in its subject. */
export function mailed({ host, instance }: Host, subject: string) {
  return until(async () => {
    const kept = (await host.app.mailbox?.list(instance)) ?? []
    return kept.find(({ mail }) => mail.subject.includes(subject))?.mail
  })
}

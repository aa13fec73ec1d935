import type { Instance } from '@svc/platform'
import { describeError } from '@svc/store'
import type { Channel, ChannelOutcome, Delivery } from '../channels/channel.ts'
import type { ChannelName, NotificationRecord } from '../outbox/notification.ts'
import type { NotifyServices } from '../services.ts'

type AttemptServices = Pick<NotifyServices, 'channels' | 'lifetimes' | 'log' | 'quotas'>

/** How long a channel may take to answer after its signal was aborted. Milliseconds. */
const GRACE_MS = 500

/** Names of the abort reasons, by which a channel knows why its attempt ended. */
const REASONS = { stopped: 'AbortError', timeout: 'TimeoutError' } as const

const QUOTA_SPENT: ChannelOutcome = {
  class: 'transient',
  code: 'quota_spent',
  // Its window is an hour or a day: not again in this round. @see notifications.md 10.7
  retryAfterMs: Number.POSITIVE_INFINITY,
}

/** One attempt of a channel: within its quota and time limit. Always yields an outcome. */
export async function attemptChannel(
  services: AttemptServices,
  instance: Instance,
  record: NotificationRecord,
  name: ChannelName,
  stop: AbortSignal,
): Promise<ChannelOutcome> {
  const channel = services.channels[name]
  if (channel === undefined) return { class: 'config', code: 'not_configured' }
  const quota = services.quotas[name]
  if (quota !== undefined && !(await quota.take(instance))) return QUOTA_SPENT

  const memo = record.progress[name]?.memo
  const delivery = { instance, record, ...(memo !== undefined && { memo }) }
  const outcome = await attemptInTime(services, channel, delivery, stop)
  if (outcome.class !== 'sent') await quota?.giveBack(instance)
  return outcome
}

async function attemptInTime(
  { lifetimes, log }: AttemptServices,
  channel: Channel,
  delivery: Omit<Delivery, 'signal'>,
  stop: AbortSignal,
): Promise<ChannelOutcome> {
  const ending = new AbortController()
  const stopped = Promise.withResolvers<ChannelOutcome>()
  function end(code: 'stopped' | 'timeout'): void {
    ending.abort(new DOMException('the attempt is over', REASONS[code]))
    setTimeout(() => stopped.resolve({ class: 'transient', code }), GRACE_MS).unref()
  }
  const onStop = (): void => end('stopped')
  const timer = setTimeout(() => end('timeout'), lifetimes.attempt)
  stop.addEventListener('abort', onStop, { once: true })
  try {
    if (stop.aborted) return { class: 'transient', code: 'stopped' }
    const attempt = channel.attempt({ ...delivery, signal: ending.signal })
    return await Promise.race([attempt, stopped.promise])
  } catch (error) {
    const fields = shownFields(delivery.instance, delivery.record)
    const cause = describeError(error)
    log.error('notification.channel_broken', { ...fields, channel: channel.name, cause })
    return { class: 'transient', code: 'internal_error' }
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', onStop)
  }
}

/** What log lines say of a notification. */
export function shownFields(
  { domain }: Instance,
  { id, originator, owner, category }: NotificationRecord,
): Readonly<Record<'category' | 'domain' | 'notification' | 'originator' | 'owner', string>> {
  return { domain, notification: id, originator, owner, category }
}

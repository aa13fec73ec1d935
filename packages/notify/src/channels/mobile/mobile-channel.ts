import type { NotifiableDevice } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import { createCircuitBreaker } from '../../circuit-breaker.ts'
import type { NotifyServices, RenderServices } from '../../services.ts'
import type { Channel, ChannelOutcome, Delivery } from '../channel.ts'
import { createDeliveryOutcome, readMemo, type DeliveryOutcome } from './delivery-outcome.ts'
import { pushFor, tokenDigest } from './outgoing-push.ts'
import { contentOf, type PushContent } from './push-content.ts'
import type { OutgoingPush, PushGateway, PushOutcome } from './push-gateway.ts'
import { findStages, type Stages } from './stages.ts'
import { parseSubscription } from './webpush/web-push-message.ts'

export interface MobileChannelOptions {
  readonly gateway: PushGateway
  /**
   * Counts one delivery to a device of the instance (`1`), or takes back one that did not happen (`-1`).
   * @returns milliseconds until there is room again when the quota is spent, else 0
   * @see notifications.md 13
   */
  readonly hitPushQuota: (instance: Instance, by: 1 | -1) => Promise<number>
  /** How long devices of the app alone may keep those of the flagship app waiting. Milliseconds. @defaultValue `5_000` */
  readonly patienceMs?: number
}

/** Devices reached per stage. @see notifications.md 13 */
const MAX_REACHED = 10
/** Devices of one provider at a time. */
const PARALLEL = 5
const PATIENCE_MS = 5000

/**
 * Pushes to the owner's devices: to those of the app that posted, else to those of the flagship app.
 * @see notifications.md 16
 */
export function createMobileChannel(
  services: RenderServices & Pick<NotifyServices, 'clock'>,
  { gateway, hitPushQuota, patienceMs = PATIENCE_MS }: MobileChannelOptions,
): Channel {
  const { oauth, clock, log } = services
  const breaker = createCircuitBreaker<string>({ clock })

  /** Sends to devices of a stage until enough of them are reached; no provider waits for another one. */
  async function reach(
    { instance, signal }: Delivery,
    devices: readonly NotifiableDevice[],
    toPush: (device: NotifiableDevice) => OutgoingPush,
    deliveryOutcome: DeliveryOutcome,
  ): Promise<void> {
    const open = devices.filter(({ token }) => deliveryOutcome.isOpen(tokenDigest(token)))
    const queues = [...Map.groupBy(open, providerOf).values()]
    const sending = new Set<Promise<void>>()
    const isFull = (underWay: number): boolean =>
      deliveryOutcome.reachedOf(devices) + underWay >= MAX_REACHED

    async function work(queue: NotifiableDevice[]): Promise<void> {
      const own = new Set<Promise<void>>()
      while (queue.length > 0 && deliveryOutcome.quotaMs === 0) {
        if (own.size >= PARALLEL || (sending.size > 0 && isFull(sending.size))) {
          await Promise.race(own.size >= PARALLEL ? own : sending)
          continue
        }
        if (isFull(0)) break
        const device = queue.shift()
        if (device === undefined) break
        const done = trySendTo(instance, toPush(device), deliveryOutcome, signal).finally(() => {
          own.delete(done)
          sending.delete(done)
        })
        own.add(done)
        sending.add(done)
      }
      await Promise.all(own)
    }

    await Promise.all(queues.map(work))
    const left = queues.reduce((count, queue) => count + queue.length, 0)
    if (left === 0 || deliveryOutcome.quotaMs > 0) return
    deliveryOutcome.giveUp(devices)
    log.warn('push.devices.ignored', { domain: instance.domain, count: left })
  }

  async function sendTo(
    instance: Instance,
    push: OutgoingPush,
    deliveryOutcome: DeliveryOutcome,
    signal: AbortSignal,
  ): Promise<void> {
    const digest = tokenDigest(push.token)
    if (signal.aborted) {
      deliveryOutcome.note(digest, { class: 'transient', code: 'timeout' })
      return
    }
    const waitMs = await hitPushQuota(instance, 1)
    if (waitMs > 0) {
      deliveryOutcome.quotaMs = waitMs
      return
    }
    const outcome = await send(push, signal)
    deliveryOutcome.note(digest, outcome)
    if (outcome.class === 'sent') return
    const { platform } = push
    log.warn('push.failed', {
      domain: instance.domain,
      platform,
      class: outcome.class,
      code: outcome.code,
    })
    await hitPushQuota(instance, -1)
    if (outcome.isTokenDead !== true) return
    await oauth.clients.clearDeviceToken(instance, push.platform, push.token)
  }

  /** A store that fails in between must not make anybody forget who has the notification already. */
  async function trySendTo(...given: Parameters<typeof sendTo>): Promise<void> {
    const [instance, { token }, deliveryOutcome] = given
    try {
      await sendTo(...given)
    } catch (error) {
      log.error('push.device.failed', { domain: instance.domain, fault: placeOf(error) })
      const digest = tokenDigest(token)
      if (deliveryOutcome.isOpen(digest))
        deliveryOutcome.note(digest, { class: 'transient', code: 'unavailable' })
    }
  }

  async function send(push: OutgoingPush, signal: AbortSignal): Promise<PushOutcome> {
    try {
      const ask = (): Promise<PushOutcome> => gateway.send(push, signal)
      const answer = await breaker.call(providerOf(push), signal, ask, isSilence)
      return typeof answer === 'string' ? { class: 'transient', code: answer } : answer.result
    } catch (error) {
      // A fault of the gateway must not cost the devices that come after this one.
      log.error('push.gateway.failed', { domain: push.instance.domain, fault: placeOf(error) })
      return { class: 'transient', code: 'gateway_failed' }
    }
  }

  async function attempt(delivery: Delivery): Promise<ChannelOutcome> {
    const { instance, record } = delivery
    const memo = readMemo(delivery.memo)
    const stages = await findStages(oauth, instance, record)
    const { dedicated, flagship } = memo.sent.size > 0 ? waitingOf(stages, memo.waiting) : stages
    if (dedicated.length + flagship.length === 0 && memo.sent.size === 0) {
      return { class: 'permanent', code: 'no_device' }
    }
    const content = await contentOf(services, instance, record)
    const deliveryOutcome = createDeliveryOutcome(memo)
    const toPush = (device: NotifiableDevice): OutgoingPush =>
      pushFor(device, { instance, record, content, now: clock.now() })
    const reaching = reach(delivery, dedicated, toPush, deliveryOutcome)
    // A provider that does not answer must not use up the time of the others.
    await endOrTime(reaching, patienceMs)
    const isFollowUp = memo.sent.size > 0
    if (isFollowUp || !deliveryOutcome.hasReached())
      await reach(delivery, flagship, toPush, deliveryOutcome)
    await reaching
    return { ...deliveryOutcome.toChannelOutcome(), ...warningsOf(content) }
  }

  return { name: 'mobile', attempt }
}

/** SPEC: notifications.md 16.1 (6) - once a device was reached, only temporary failures are retried. */
function waitingOf({ dedicated, flagship }: Stages, waiting: ReadonlySet<string>): Stages {
  const isWaiting = ({ token }: NotifiableDevice): boolean => waiting.has(tokenDigest(token))
  return { dedicated: dedicated.filter(isWaiting), flagship: flagship.filter(isWaiting) }
}

/** Whose server a push goes to, as far as its device tells: browsers name their own. */
function providerOf({ platform, token }: Pick<NotifiableDevice, 'platform' | 'token'>): string {
  return platform === 'webpush' ? (parseSubscription(token)?.endpoint.host ?? platform) : platform
}

function isSilence(end: PushOutcome | Error): boolean {
  return !(end instanceof Error) && end.code === 'timeout'
}

function warningsOf({ warnings }: PushContent): Pick<ChannelOutcome, 'warnings'> {
  return warnings.length === 0 ? {} : { warnings }
}

/** Resolves when the work has ended, or when the time is over. */
export async function endOrTime(work: Promise<void>, ms: number): Promise<void> {
  const time = Promise.withResolvers<void>()
  const timer = setTimeout(time.resolve, ms)
  try {
    await Promise.race([work, time.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** What broke and where; the message might hold a token. */
export function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const frame = error.stack?.split('\n').find((line) => line.startsWith('    at '))
  return `${error.name}${frame === undefined ? '' : frame.slice('   '.length)}`
}

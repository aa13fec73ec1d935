import { type NotificationCategory } from '@svc/oauth-core'
import { compiledSchema, type Instance } from '@svc/platform'
import { isLongInteger } from '@svc/store'
import { NotifyError, type NotifyFault } from '../notify-error.ts'
import {
  CHANNELS,
  type ChannelName,
  HOST_CHANNEL,
  type NotificationContent,
  type Priority,
} from '../outbox/notification.ts'
import { zoneOf } from '../preferences/zoned-time.ts'
import type { NotifyServices } from '../services.ts'
import { type AtBounds, readAt } from './at.ts'
import {
  type AttributeName,
  ATTRIBUTES,
  MAX_DATA_BYTES,
  MAX_DATA_DEPTH,
} from './attributes.schema.ts'

/** Attributes of a post, validated. Texts are as they came. */
export interface Draft extends NotificationContent {
  /** The instant of `at`. Milliseconds since the epoch. */
  readonly sendAt?: number
}

export type Attributes = Readonly<Record<string, unknown>>

/** What validating depends on beside the attributes. */
interface ValidationContext {
  readonly category: Pick<NotificationCategory, 'defaultPriority' | 'multiple' | 'stateful'>
  /** Zone of the owner: IANA name. */
  readonly zone: string
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly bounds: AtBounds
  /** Whether a channel is one of every server, or of this host. */
  readonly hasChannel: (name: ChannelName) => boolean
}

/** The draft, or everything that is wrong. */
type Validated =
  | { readonly draft: Draft }
  | { readonly faults: readonly [NotifyFault, ...NotifyFault[]] }

const NAMES = Object.keys(ATTRIBUTES) as readonly AttributeName[] // keys of our own table
const DEFAULT_CHANNELS: readonly ChannelName[] = ['mail']

/** @throws NotifyError 400 `invalid_notification` */
export function requireTitle({ title }: Attributes): void {
  if (title !== undefined && title !== null && (typeof title !== 'string' || title.trim() !== '')) {
    return
  }
  const pointer = pointerTo('title')
  const description = 'Notification is not valid'
  throw new NotifyError('invalid_notification', { description, pointer })
}

/** Validates the attributes. @throws NotifyError 422 with every fault */
export function requireDraft(
  { clock, lifetimes, hostChannels }: Pick<NotifyServices, 'clock' | 'hostChannels' | 'lifetimes'>,
  instance: Instance,
  category: ValidationContext['category'],
  attributes: Attributes,
): Draft {
  const hasChannel = (name: ChannelName): boolean =>
    CHANNELS.some((known) => known === name) || hostChannels.some((own) => own.name === name)
  const zone = zoneOf(instance)
  const context = { category, zone, now: clock.now(), bounds: lifetimes, hasChannel }
  const validated = validateAttributes(attributes, context)
  if ('faults' in validated) throw NotifyError.ofAll(validated.faults)
  return validated.draft
}

/** @see notifications.md 3.1 */
function validateAttributes(
  attributes: Attributes,
  { category, zone, now, bounds, hasChannel }: ValidationContext,
): Validated {
  // SPEC: notifications.md 3.1 - `null` is absent, and so is an empty `category_id`.
  const given = new Map(
    NAMES.filter((name) => Object.hasOwn(attributes, name))
      .map((name) => [name, attributes[name]] as const)
      .filter(([name, value]) => value !== null && !(name === 'category_id' && value === '')),
  )
  const faults = [...given].flatMap(([name, value]) => faultsOf(name, value))
  const at = given.get('at')
  let sendAt: number | undefined
  if (typeof at === 'string' && at.length <= 64) {
    const result = readAt(at, zone, now, bounds)
    if ('instant' in result) sendAt = result.instant
    else faults.push({ ...result, pointer: pointerTo('at') })
  }
  if (given.has('category_id') && !category.multiple) {
    const description = 'the category has no sub-categories'
    faults.push({ code: 'not_multiple', description, pointer: pointerTo('category_id') })
  }
  if (category.stateful && !given.has('state')) {
    const description = 'notifications of this category need a state'
    faults.push({ code: 'state_required', description, pointer: pointerTo('state') })
  }
  const [first, ...others] = faults
  if (first !== undefined) return { faults: [first, ...others] }
  return { draft: toDraft(given, category.defaultPriority, sendAt, hasChannel) }
}

function faultsOf(name: AttributeName, value: unknown): NotifyFault[] {
  if (!compiledSchema(ATTRIBUTES[name].schema)(value)) return [fault(name, ATTRIBUTES[name].rule)]
  if (!isWellFormed(value)) return [fault(name, 'of whole Unicode characters')]
  if (name === 'preferred_channels') return channelFaults(value as readonly unknown[]) // by its schema
  if (name === 'data') return dataFaults(value)
  return []
}

/** @param given - attributes that went through their rules */
function toDraft(
  given: ReadonlyMap<AttributeName, unknown>,
  defaultPriority: Priority | undefined,
  sendAt: number | undefined,
  hasChannel: (name: ChannelName) => boolean,
): Draft {
  const text = (name: AttributeName): string | undefined => given.get(name) as string | undefined
  const categoryId = text('category_id')
  const message = text('message')
  const priority = (given.get('priority') as Priority | undefined) ?? defaultPriority
  const state = text('state')
  const channels = given.get('preferred_channels') as readonly ChannelName[] | undefined
  // A host's channel that this server has not is skipped: what posts may run on several servers.
  const wanted = [...new Set(channels)].filter(hasChannel)
  const data = given.get('data') as Draft['data']
  const at = text('at')
  const sound = text('sound')
  const content = text('content')
  const contentHtml = text('content_html')
  return {
    title: text('title') ?? '',
    preferredChannels: wanted.length === 0 ? DEFAULT_CHANNELS : wanted,
    ...(categoryId !== undefined && { categoryId }),
    ...(message !== undefined && { message }),
    ...(priority !== undefined && { priority }),
    ...(state !== undefined && { state }),
    ...(channels !== undefined && { givenChannels: channels }),
    ...(data !== undefined && { data }),
    ...(at !== undefined && { at }),
    ...(sendAt !== undefined && { sendAt }),
    ...(sound !== undefined && { sound }),
    ...(content !== undefined && { content }),
    ...(contentHtml !== undefined && { contentHtml }),
  }
}

function channelFaults(items: readonly unknown[]): NotifyFault[] {
  return items.flatMap((item, place) =>
    typeof item === 'string' && HOST_CHANNEL.test(item)
      ? []
      : [
          {
            code: 'invalid_attribute' as const,
            description: 'preferred_channels names mobile, sms, mail and channels of the host',
            pointer: `${pointerTo('preferred_channels')}/${place}`,
          },
        ],
  )
}

function dataFaults(data: unknown): NotifyFault[] {
  if (isLongInteger(data)) return [fault('data', ATTRIBUTES.data.rule)]
  if (isDeeper(data, MAX_DATA_DEPTH)) {
    return [fault('data', `at most ${MAX_DATA_DEPTH} levels deep`)]
  }
  const bytes = Buffer.byteLength(JSON.stringify(data))
  return bytes > MAX_DATA_BYTES ? [fault('data', `at most ${MAX_DATA_BYTES} bytes of JSON`)] : []
}

function isDeeper(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (left === 0) return true
  return Object.values(value).some((member) => isDeeper(member, left - 1))
}

/** SPEC: security.md 19 - halves of surrogate pairs. A body is at most 32 levels deep. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(
    ([name, member]) => name.isWellFormed() && isWellFormed(member),
  )
}

function fault(name: AttributeName, rule: string): NotifyFault {
  return {
    code: 'invalid_attribute',
    description: `${name} must be ${rule}`,
    pointer: pointerTo(name),
  }
}

function pointerTo(name: AttributeName): string {
  return `/data/attributes/${name}`
}

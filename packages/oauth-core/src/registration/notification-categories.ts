import { compiledSchema } from '@svc/platform'

type JsonSchema = Readonly<Record<string, unknown>>

/** A kind of notification as it was declared, by an app's manifest or a client's registration. @see notifications.md 4.2 */
export interface NotificationCategory {
  /** For people; may be empty. */
  readonly description: string
  /** Only the last one matters to the owner. */
  readonly collapsible: boolean
  /** Sent only when its `state` differs from that of the last one. */
  readonly stateful: boolean
  /** Has sub-categories, told apart by `category_id`. */
  readonly multiple: boolean
  /** Pushes say only that there is something; the app fetches the text (23.10). */
  readonly sensitive: boolean
  readonly defaultPriority?: 'high' | 'normal'
  /** `mail`, `mail.text`, `mobile`, `sms`, each perhaps with a locale behind a dot, to `file:…`. */
  readonly templates?: Readonly<Record<string, string>>
  /** After it, undelivered ones are dropped. Milliseconds, 1 s to 28 d. */
  readonly timeToLiveMs?: number
  /** Between two of a stateful source. Milliseconds, 1 s to 28 d. */
  readonly minIntervalMs?: number
}

/** What declarations came to. */
export interface ParsedCategories {
  /** By name, in the order of the declaration. */
  readonly categories: ReadonlyMap<string, NotificationCategory>
  /** Why others were left out, such as `balance/multiple must be boolean`; for logs. */
  readonly faults: readonly string[]
}

const SECOND_NS = 1_000_000_000
const LONGEST_S = 28 * 86_400
const UNITS_S: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Categories that one declaration may have. */
export const MAX_CATEGORIES = 50
const NAME = '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$'
const CHANNEL_KEY = '^(mail(\\.text)?|mobile|sms)(\\.[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3})?$'

/** Nanoseconds, or a number and its unit. */
const durationSchema: JsonSchema = {
  anyOf: [
    { type: 'integer', minimum: SECOND_NS, maximum: LONGEST_S * SECOND_NS },
    { type: 'string', pattern: '^[1-9][0-9]{0,6}[smhd]$' },
  ],
}

const PROPERTIES: JsonSchema = {
  description: { type: 'string', maxLength: 500 },
  collapsible: { type: 'boolean' },
  stateful: { type: 'boolean' },
  multiple: { type: 'boolean' },
  sensitive: { type: 'boolean' },
  default_priority: { enum: ['high', 'normal'] },
  time_to_live: durationSchema,
  min_interval: durationSchema,
}

/** A category in a manifest; unknown members are allowed and mean nothing. */
const manifestCategorySchema: JsonSchema = {
  type: 'object',
  properties: {
    ...PROPERTIES,
    templates: {
      type: 'object',
      maxProperties: 64,
      propertyNames: { pattern: CHANNEL_KEY },
      additionalProperties: {
        type: 'string',
        maxLength: 1024,
        pattern: '^file:(\\./)?[^\\u0000]+$',
      },
    },
  },
}

/** The declarations of a client: without templates, since it has no folder. */
export const notificationsSchema: JsonSchema = {
  type: 'object',
  maxProperties: MAX_CATEGORIES,
  propertyNames: { pattern: NAME },
  additionalProperties: { type: 'object', additionalProperties: false, properties: PROPERTIES },
}

/** As its schema says. */
interface Declaration {
  readonly description?: string
  readonly collapsible?: boolean
  readonly stateful?: boolean
  readonly multiple?: boolean
  readonly sensitive?: boolean
  readonly default_priority?: 'high' | 'normal'
  readonly templates?: Readonly<Record<string, string>>
  readonly time_to_live?: number | string
  readonly min_interval?: number | string
}

/**
 * Reads declarations: as a manifest has them, or a client's record. A category that is wrong is left out alone.
 * @example
 * const { categories } = parseCategories({ reminders: { collapsible: true } })
 */
export function parseCategories(value: unknown): ParsedCategories {
  if (value === undefined || value === null) return { categories: new Map(), faults: [] }
  if (typeof value !== 'object' || Array.isArray(value)) {
    return { categories: new Map(), faults: ['notifications is not an object'] }
  }
  const categories = new Map<string, NotificationCategory>()
  const faults: string[] = []
  for (const [name, declaration] of Object.entries(value)) {
    const fault =
      categories.size === MAX_CATEGORIES
        ? `is one of more than ${MAX_CATEGORIES}`
        : faultOf(name, declaration)
    // Checked by the schema.
    if (fault === undefined) categories.set(name, toCategory(declaration as Declaration))
    else if (faults.length < MAX_CATEGORIES) faults.push(`${name.slice(0, 64)} ${fault}`)
  }
  return { categories, faults }
}

function faultOf(name: string, declaration: unknown): string | undefined {
  if (!new RegExp(NAME).test(name)) return 'is not the name of a category'
  const isCategory = compiledSchema<Declaration>(manifestCategorySchema)
  if (!isCategory(declaration)) {
    const said = (isCategory.errors ?? []).map((each) => `${each.instancePath} ${each.message}`)
    return said.join(', ').trim()
  }
  return hasFittingDurations(declaration) ? undefined : 'lasts longer than 28 days'
}

/** Whether durations given as text are at most 28 days. @param declaration - an object that fits its schema */
export function hasFittingDurations(declaration: unknown): boolean {
  const { time_to_live, min_interval } = declaration as Declaration
  return [time_to_live, min_interval].every(
    (value) => value === undefined || toMs(value) <= LONGEST_S * 1000,
  )
}

function toCategory(declaration: Declaration): NotificationCategory {
  const { default_priority, templates, time_to_live, min_interval } = declaration
  return {
    description: declaration.description ?? '',
    collapsible: declaration.collapsible ?? false,
    stateful: declaration.stateful ?? false,
    multiple: declaration.multiple ?? false,
    sensitive: declaration.sensitive ?? false,
    ...(default_priority !== undefined && { defaultPriority: default_priority }),
    ...(templates !== undefined && { templates }),
    ...(time_to_live !== undefined && { timeToLiveMs: toMs(time_to_live) }),
    ...(min_interval !== undefined && { minIntervalMs: toMs(min_interval) }),
  }
}

function toMs(duration: number | string): number {
  if (typeof duration === 'number') return Math.floor(duration / 1_000_000)
  return Number(duration.slice(0, -1)) * (UNITS_S[duration.slice(-1)] ?? 0) * 1000
}

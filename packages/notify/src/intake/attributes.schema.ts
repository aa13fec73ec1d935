import { type BodySchema, bodySchema } from '@svc/platform'
import { HOST_CHANNEL } from '../outbox/notification.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** Items that `preferred_channels` may have. */
export const MAX_CHANNELS = 8
/** Bytes of `data` as JSON. */
export const MAX_DATA_BYTES = 32_768
/** Levels of objects and arrays in `data`, itself the first. */
export const MAX_DATA_DEPTH = 8

const text = (maxLength: number): JsonSchema => ({ type: 'string', maxLength })

/** Validation rules and fault messages of the attributes; characters are code points. @see notifications.md 3.1 */
export const ATTRIBUTES: Readonly<
  Record<AttributeName, { readonly schema: JsonSchema; readonly rule: string }>
> = {
  category_id: {
    schema: { ...text(256), pattern: '^\\P{Cc}*$' },
    rule: 'a text of at most 256 characters without control characters',
  },
  title: { schema: text(512), rule: 'a text of at most 512 characters' },
  message: { schema: text(10_000), rule: 'a text of at most 10000 characters' },
  priority: { schema: { enum: ['high', 'normal'] }, rule: 'high or normal' },
  state: { schema: text(1024), rule: 'a text of at most 1024 characters' },
  preferred_channels: {
    schema: { type: 'array', maxItems: MAX_CHANNELS },
    rule: `an array of at most ${MAX_CHANNELS} channels`,
  },
  data: { schema: { type: 'object' }, rule: 'an object' },
  at: { schema: text(64), rule: 'a date and time as in RFC 3339' },
  sound: { schema: text(128), rule: 'a text of at most 128 characters' },
  content: { schema: text(100_000), rule: 'a text of at most 100000 characters' },
  content_html: { schema: text(300_000), rule: 'a text of at most 300000 characters' },
}

/** Validated after the title and the category are known to be there. */
export type AttributeName =
  | 'category_id'
  | 'title'
  | 'message'
  | 'priority'
  | 'state'
  | 'preferred_channels'
  | 'data'
  | 'at'
  | 'sound'
  | 'content'
  | 'content_html'

const ATTRIBUTES_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['category', 'title'],
  properties: {
    category: { type: 'string' },
    ...Object.fromEntries(Object.entries(ATTRIBUTES).map(([name, { schema }]) => [name, schema])),
    preferred_channels: {
      type: 'array',
      maxItems: MAX_CHANNELS,
      items: { type: 'string', pattern: HOST_CHANNEL.source },
    },
  },
}

/** The body of `POST /notifications`, whose attributes may hold anything. */
export interface PostBody {
  readonly data: { readonly attributes?: Readonly<Record<string, unknown>> | null }
}

/**
 * The shape of the body. The attributes are validated after the category, on which it depends: `null` is
 * absent, and unknown members are ignored.
 */
export const POST_BODY: BodySchema<PostBody> = bodySchema({
  type: 'object',
  required: ['data'],
  properties: {
    data: {
      type: 'object',
      properties: {
        type: { description: 'ignored (D23)' },
        attributes: {
          type: ['object', 'null'],
          anyOf: [
            ATTRIBUTES_SCHEMA,
            { description: 'Whatever else is refused, each fault with its pointer.' },
          ],
        },
      },
    },
  },
})

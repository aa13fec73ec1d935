import { type BodySchema, bodySchema } from '@svc/platform'

type JsonSchema = Readonly<Record<string, unknown>>

/** Marks to set or to take back; absent members stay. */
export interface InboxPatch {
  readonly read?: boolean
  readonly archived?: boolean
}

export interface InboxBody {
  readonly data: { readonly attributes: InboxPatch }
}

function bodyOf(attributes: JsonSchema): JsonSchema {
  return {
    type: 'object',
    required: ['data'],
    properties: {
      data: {
        type: 'object',
        required: ['attributes'],
        properties: { attributes: { type: 'object', ...attributes } },
      },
    },
  }
}

const read = { type: 'boolean', description: 'whether the owner has read it' }
const archived = { type: 'boolean', description: 'whether it is put away' }

const MARKS = bodyOf({
  properties: { read, archived },
  anyOf: [
    { properties: { read }, required: ['read'] },
    { properties: { archived }, required: ['archived'] },
  ],
})

/** The body of `PATCH /notifications/:id`: marks to set or to take back; absent ones stay. */
export const INBOX_BODY: BodySchema<InboxBody> = bodySchema(MARKS)

/** The body of `PATCH /notifications`: all of them can only be marked as read. */
export const WHOLE_INBOX_BODY: BodySchema<InboxBody> = bodySchema({
  ...bodyOf({
    properties: { read: { ...read, const: true }, archived: false },
    required: ['read'],
  }),
  // Looked at first: what would not do for a single one has another answer than what is not for all of them.
  allOf: [MARKS],
})

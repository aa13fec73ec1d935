type JsonSchema = Readonly<Record<string, unknown>>

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

/** The body of `PATCH /notifications/:id`: marks to set or to take back; absent ones stay. */
export const inboxBodySchema: JsonSchema = bodyOf({
  properties: { read, archived },
  anyOf: [
    { properties: { read }, required: ['read'] },
    { properties: { archived }, required: ['archived'] },
  ],
})

/** The body of `PATCH /notifications`: all of them can only be marked as read. */
export const wholeInboxBodySchema: JsonSchema = bodyOf({
  properties: { read: { ...read, const: true }, archived: false },
  required: ['read'],
})

import { bodySchema, type BodySchema } from '@svc/platform'

const DOCUMENTS = {
  type: {
    type: 'string',
    pattern: '^[a-z0-9_]{1,60}(?:\\.[a-z0-9_]{1,60}){1,7}$',
    description: 'doctype',
  },
  ids: {
    type: 'array',
    items: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._~@\\-]{0,127}$' },
    minItems: 1,
    maxItems: 100,
    description: 'of documents that the caller may read itself',
  },
}

const TEXT = { type: 'string', minLength: 1, maxLength: 200 }

/** Body of `POST /shares`. */
export interface ShareBody {
  readonly type: string
  readonly ids: readonly string[]
  readonly password?: string
}

export const shareSchema: BodySchema<ShareBody> = bodySchema({
  type: 'object',
  required: ['type', 'ids'],
  properties: {
    ...DOCUMENTS,
    password: { type: 'string', minLength: 1, maxLength: 1024, description: 'asked of visitors' },
  },
})

/** Body of `POST /sharings`. */
export interface OfferBody {
  readonly to: string
  readonly type: string
  readonly ids: readonly string[]
  readonly description: string
}

export const offerSchema: BodySchema<OfferBody> = bodySchema({
  type: 'object',
  required: ['to', 'type', 'ids', 'description'],
  properties: {
    to: { ...TEXT, description: 'domain of the other owner' },
    ...DOCUMENTS,
    description: { ...TEXT, description: 'what the other owner reads' },
  },
})

import { type BodySchema, bodySchema } from '@svc/platform'
import { HOST_CHANNEL } from '../outbox/notification.ts'
import type { PreferencesPatch } from './patch.ts'

const WHEN = { type: ['string', 'null'], maxLength: 64 } as const
const TIME = { type: 'string', pattern: '^(?:[01]\\d|2[0-3]):[0-5]\\d$' } as const

/** `data.attributes` of `PATCH /notifications/preferences`. */
const preferencesPatchSchema: Readonly<Record<string, unknown>> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    time_zone: { type: ['string', 'null'], maxLength: 64 },
    quiet_hours: {
      type: ['object', 'null'],
      additionalProperties: false,
      required: ['start', 'end'],
      properties: { start: TIME, end: TIME },
    },
    sources: {
      type: 'array',
      maxItems: 100,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id'],
        properties: {
          id: { type: 'string', minLength: 1, maxLength: 256 },
          blocked: { type: 'boolean' },
          muted_until: WHEN,
          categories: {
            type: 'array',
            maxItems: 50,
            items: {
              type: 'object',
              additionalProperties: false,
              required: ['name'],
              properties: {
                name: { type: 'string', minLength: 1, maxLength: 64 },
                channels: {
                  type: 'object',
                  additionalProperties: false,
                  patternProperties: { [HOST_CHANNEL.source]: { type: 'boolean' } },
                },
                muted_until: WHEN,
                digest: { type: ['string', 'null'], maxLength: 16 },
              },
            },
          },
        },
      },
    },
  },
}

export interface PreferencesBody {
  readonly data: { readonly attributes: PreferencesPatch; readonly meta?: unknown }
}

/** The body of `PATCH /notifications/preferences`. Other members mean nothing. */
export const PREFERENCES_BODY: BodySchema<PreferencesBody> = bodySchema({
  type: 'object',
  required: ['data'],
  properties: {
    data: {
      type: 'object',
      required: ['attributes'],
      properties: {
        attributes: preferencesPatchSchema,
        meta: { description: '`rev`: the revision that the change is meant for' },
      },
    },
  },
})

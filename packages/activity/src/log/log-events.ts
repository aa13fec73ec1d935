import type { EventLog, PLATFORM_LOG_EVENTS } from '@svc/platform'

/** Every line that this package logs. */
export const ACTIVITY_LOG_EVENTS = {
  'activity.not_chained': {
    level: 'warn',
    when: 'Noted events could not be added to the record of activity now; it is tried again.',
    fields: { cause: 'string' },
    since: '0.2.0',
  },
  'activity.no_backstop': {
    level: 'warn',
    when: 'The scheduler did not take the wake-up for noted events.',
    fields: { cause: 'string' },
    since: '0.2.0',
  },
  'activity.refusal_not_noted': {
    level: 'warn',
    when: 'A refusal could not be noted in the record of activity.',
    fields: { cause: 'string' },
    since: '0.2.0',
  },
  'activity.use_lost': {
    level: 'warn',
    when: 'Counts of what clients or accounts used could not be written for minutes and are lost.',
    fields: { cause: 'string' },
    since: '0.2.0',
  },
  'activity.broken': {
    level: 'error',
    when: 'The verification of a record of activity found a break.',
    fields: { domain: 'string', seq: 'number', reason: 'string' },
    since: '0.2.0',
  },
} as const

/** The log as this package writes to it. */
export type ActivityLogLines = EventLog<typeof PLATFORM_LOG_EVENTS & typeof ACTIVITY_LOG_EVENTS>

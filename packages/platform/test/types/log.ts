// Compiled, never run: what a log takes, and what it refuses.
import type { EventLog, Logger } from '@svc/platform'
import type { LogEvents } from '@svc/store'

const EVENTS = {
  'parcel.sent': {
    level: 'info',
    when: 'A parcel left.',
    fields: { domain: 'string', weight: 'number?' },
    since: '0.1.0',
  },
  'parcel.lost': { level: 'warn', when: 'Nobody knows.', fields: { at: 'any' }, since: '0.1.0' },
  'post.closed': { level: 'info', when: 'It is Sunday.', since: '0.1.0' },
} as const
const OTHERS = {
  'letter.sent': { level: 'info', when: 'A letter left.', since: '0.1.0' },
} as const

export function checkLog(
  log: EventLog<typeof EVENTS>,
  both: EventLog<typeof EVENTS & typeof OTHERS>,
  others: EventLog<typeof OTHERS>,
  plain: Logger,
): LogEvents {
  log.info('parcel.sent', { domain: 'alice.example', weight: 2 })
  log.info('parcel.sent', { domain: 'alice.example' })
  log.warn('parcel.lost', { at: 3 })
  log.info('post.closed')
  // @ts-expect-error no such event
  log.info('parcel.eaten')
  // @ts-expect-error an event has one level
  log.warn('parcel.sent', { domain: 'alice.example' })
  // @ts-expect-error a field is missing
  log.info('parcel.sent', { weight: 2 })
  // @ts-expect-error no such field
  log.info('parcel.sent', { domain: 'alice.example', colour: 'red' })
  // @ts-expect-error a field of another event
  log.warn('parcel.lost', { at: 3, weight: 2 })
  // @ts-expect-error a field is of another type
  log.info('parcel.sent', { domain: 1 })
  // @ts-expect-error this event has no fields
  log.info('post.closed', { domain: 'alice.example' })

  // Whoever logs anything can take what a package writes, and a log of more events that of fewer.
  const taken: EventLog<typeof EVENTS> = plain
  const fewer: EventLog<typeof EVENTS> = both
  const handed: Logger = log
  // @ts-expect-error a log of other events
  const wrong: EventLog<typeof EVENTS> = others
  void [taken, fewer, handed, wrong]
  return EVENTS
}

import { type Check, ok, warning } from './check.ts'

/** Pages that hold links which open instances. */
export const devPages: Check = {
  id: 'dev.pages',
  when: 'start',
  run({ areDevPagesOn }) {
    if (areDevPagesOn !== true) return [ok('/dev/mails and /dev/outbox are off.')]
    return [
      warning(
        '/dev/mails and /dev/outbox show links that open instances to everybody on this machine.',
        'Set SVC_DEV_PAGES=off, or NODE_ENV=production where owners are served.',
      ),
    ]
  },
}

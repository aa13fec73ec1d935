import type { Notify } from './notify.ts'
import { checkOptions, type NotifyOptions } from './options.ts'
import { createSystemMails } from './system-mailer.ts'

/**
 * Routes from this server and its apps to the owners.
 * @throws TypeError with every fault of the options
 * @example
 * const notify = createNotify({
 *   oauth,
 *   channels: { mail: { transport: smtpTransport({ host: 'mail.example.org', port: 587 }) } },
 * })
 */
export function createNotify(options: NotifyOptions): Pick<Notify, 'mailer' | 'render'> {
  checkOptions(options)
  const { oauth, log = oauth.log } = options
  return createSystemMails({ log, mail: options.channels.mail })
}

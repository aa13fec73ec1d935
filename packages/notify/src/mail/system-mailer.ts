import type { Instance, Logger } from '@svc/platform'
import {
  defineOptions,
  func,
  type OptionsDefinition,
  type OptionsFor,
  port,
  type Settled,
} from '@svc/platform/options'
import type { AppMail } from './app-mails.ts'
import { lazyTemplates } from './lazy-templates.ts'
import { repliesOf } from './mail-sender.ts'
import { createMailer, type Mailer } from './mailer.ts'
import { type MailOptions, mailOptions } from './mail-options.ts'
import type { SystemMail } from './system-mails.ts'
import type { MailTemplates, RenderedMail } from './templates.ts'

/** System mails: sent, or only written. */
export interface SystemMails {
  readonly mailer: Mailer
  render(instance: Instance, mail: SystemMail | AppMail): Promise<RenderedMail>
}

/** What {@link createSystemMails} is told. */
export interface SystemMailsOptions {
  /** Takes lines for the operator. */
  readonly log: Logger
  /** Who mails come from, and how they leave. */
  readonly mail: MailOptions
  /** Shared with whoever else writes mails. @defaultValue its own */
  readonly loadTemplates?: () => Promise<MailTemplates>
}

export const SYSTEM_MAILS_OPTIONS: OptionsDefinition<Settled<SystemMailsOptions>> = defineOptions({
  log: port<Logger>(['info', 'warn', 'error']),
  mail: mailOptions(),
  loadTemplates: func<() => Promise<MailTemplates>>().orFrom(
    ({ mail }: SystemMailsOptions) =>
      lazyTemplates({ takesReplies: (instance) => repliesOf(instance, mail) !== undefined }),
    'its own',
  ),
} satisfies OptionsFor<SystemMailsOptions>)

/**
 * The mails of this server itself; nothing else of the package is loaded for them.
 * @throws TypeError listing every fault of the options with its path
 */
export function createSystemMails(given: SystemMailsOptions): SystemMails {
  const { log, mail: options, loadTemplates } = SYSTEM_MAILS_OPTIONS.settle(given)
  return {
    mailer: createMailer({ log, options, loadTemplates }),
    render: async (instance, mail) => (await loadTemplates()).render(instance, mail),
  }
}

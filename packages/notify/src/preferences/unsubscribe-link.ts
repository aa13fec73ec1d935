import type { OAuth } from '@svc/oauth-core'
import { type Instance, originOfApp } from '@svc/platform'
import type { NotificationRecord } from '../outbox/notification.ts'
import type { UnsubscribeTokens } from './unsubscribe-tokens.ts'
import type { MailLinks } from '../mail/app-mails.ts'

/** The links in the footers of mails. */
export interface MailWaysOut {
  /** Page of the owner's notification settings; undefined when that app is not installed. */
  settingsOf(instance: Instance): Promise<string | undefined>
  /** Of the mail of a notification. What this server itself says cannot be ended. @see notifications.md 23.3 */
  linksOf(instance: Instance, record: NotificationRecord): Promise<MailLinks>
  /** Of a mail about several categories. */
  linksOfMany(instance: Instance): Promise<MailLinks>
}

export function createMailWaysOut(options: {
  readonly oauth: Pick<OAuth, 'apps'>
  readonly settingsSlug: string
  readonly tokens: UnsubscribeTokens
}): MailWaysOut {
  const { oauth, settingsSlug, tokens } = options

  async function settingsOf(instance: Instance): Promise<string | undefined> {
    if ((await oauth.apps.installed(instance, settingsSlug)) === undefined) return undefined
    // In the query: flat app hosts lose a fragment when a session is handed over.
    return `${originOfApp(instance, settingsSlug)}/?section=notifications`
  }

  async function linksOfMany(instance: Instance): Promise<MailLinks> {
    const settings = await settingsOf(instance)
    return settings === undefined ? {} : { settings }
  }

  return {
    settingsOf,
    linksOfMany,
    async linksOf(instance, { originator, postedBy, category }) {
      const links = await linksOfMany(instance)
      if (originator === 'stack' || originator === 'cli') return links
      const token = tokens.make(instance, { source: postedBy, category })
      const unsubscribe = `${instance.origin}/notifications/unsubscribe?t=${encodeURIComponent(token)}`
      return { ...links, unsubscribe }
    },
  }
}

import type { Instance } from '@svc/platform'
import { toShownText } from './clean-text.ts'
import { formatTime } from './request-facts.ts'
import type { SystemMail } from './system-mails.ts'

/** Replaces the host of an assistant that registered itself, with and without a name. */
const REGISTERED = 'registered'
const UNNAMED = 'unnamed'

/** Arguments of the texts about assistants: names and hosts are those of strangers. @see assistants.md 5.7 */
export function assistantValues(
  { template, variables }: SystemMail,
  instance: Instance,
  locale: string,
): Record<string, string | number> {
  if (template === 'assistant_connected') {
    const { clientName, host, isUnnamed = false, endsAt } = variables
    const registered = isUnnamed ? UNNAMED : REGISTERED
    return {
      name: toShownText(clientName, 100),
      host: host === undefined ? registered : toShownText(host, 255),
      date: formatTime(endsAt, instance, locale, 'short'),
    }
  }
  if (template === 'assistant_ended') return { name: toShownText(variables.clientName, 100) }
  if (template === 'assistant_busy') {
    const { clientName, documents } = variables
    return { name: toShownText(clientName, 100), documents }
  }
  return {}
}

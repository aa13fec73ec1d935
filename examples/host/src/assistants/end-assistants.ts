import type { OAuth } from '@svc/oauth-core'
import type { HostEventLog } from '../log/log.ts'

/**
 * Ends what assistants were allowed before they were switched off, beside the first requests: nothing of it is taken
 * meanwhile. What is left when the process ends is found at the next start. @see assistants.md 7.1
 */
export async function endAssistants({
  assistants,
  log,
}: Pick<OAuth, 'assistants' | 'log'>): Promise<void> {
  const lines: HostEventLog = log
  try {
    const count = await assistants.endEverywhere('switched_off')
    if (count > 0) lines.info('assistants.ended', { count })
  } catch (error) {
    lines.warn('assistants.not_ended', { cause: String(error) })
  }
}

import type { OAuth } from '@svc/oauth-core'
import type { Logger } from '@svc/platform'
import type { HostEventLog, HostLog } from './log.ts'
import { LOG_EVENTS } from './log-events.ts'

/** The log, with `audit: true` in the lines of the audit stream, which are counted by event. @see security.md 113 */
export function withAuditMarks(log: HostLog, counts: Map<string, number> = new Map()): HostLog {
  const { info, warn }: Logger = log
  function marked(write: Logger['info']): Logger['info'] {
    return (event, fields) => {
      const isAudited = LOG_EVENTS[event]?.audit === true
      if (isAudited) counts.set(event, (counts.get(event) ?? 0) + 1)
      write(event, isAudited ? { ...fields, audit: true } : fields)
    }
  }
  return { ...log, info: marked(info), warn: marked(warn) }
}

/** Writes down what no package writes by itself, one line an event, without secrets. */
export function audit(oauth: Pick<OAuth, 'on'>, log: HostEventLog): void {
  oauth.on('clients.limit.exceeded', ({ instance, limit }) =>
    log.warn('clients.limit.exceeded', { domain: instance.domain, limit }),
  )
  oauth.on('token.issued', ({ instance, client, grant, scope }) =>
    log.info('token.issued', { domain: instance.domain, clientId: client.id, grant, scope }),
  )
  oauth.on('grant.revoked', ({ instance, clientId, reason }) =>
    log.info('grant.revoked', { domain: instance.domain, clientId, reason }),
  )
}

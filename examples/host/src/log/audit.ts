import type { OAuth } from '@svc/oauth-core'
import type { HostLog } from './log.ts'

/** Events that say who did what. The packages write most of these lines themselves; {@link audit} adds the rest. */
const AUDITED: ReadonlySet<string> = new Set([
  'client.attestation_refused',
  'client.certified',
  'client.deleted',
  'client.registered',
  'client.updated',
  'clients.limit.exceeded',
  'consent.given',
  'factor.added',
  'factor.removed',
  'grant.revoked',
  'instance.removed',
  'limit.hit',
  'login.failed',
  'login.flagship',
  'login.succeeded',
  'magic_link.off',
  'magic_link.on',
  'magic_link.sent',
  'owner.confirmed',
  'owner.onboarded',
  'passphrase.changed',
  'passphrase.hash_upgraded',
  'passphrase.reset_requested',
  'recovery_code.used',
  'recovery_codes.created',
  'session.ended',
  'token.issued',
  'two_factor.failed',
  'two_factor.off',
  'two_factor.on',
  'two_factor.passed',
])

/** The log, with `audit: true` in the lines of the audit stream, which are counted by event. @see security.md 113 */
export function withAuditMarks(log: HostLog, counts: Map<string, number> = new Map()): HostLog {
  function marked(write: HostLog['info']): HostLog['info'] {
    return (event, fields) => {
      const isAudited = AUDITED.has(event)
      if (isAudited) counts.set(event, (counts.get(event) ?? 0) + 1)
      write(event, isAudited ? { ...fields, audit: true } : fields)
    }
  }
  return { ...log, info: marked(log.info), warn: marked(log.warn) }
}

/** Writes down what no package writes by itself, one line an event, without secrets. */
export function audit(oauth: Pick<OAuth, 'on'>, log: HostLog): void {
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

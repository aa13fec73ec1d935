import type { AuthUiOptions } from '@svc/auth-ui'
import type { Logger, OAuth } from '@svc/oauth-core'

type Hooks = NonNullable<AuthUiOptions['hooks']>

/** Writes down who did what, one line an event, without secrets: `audit: true` tells these lines from the others. */
export function audit(oauth: Pick<OAuth, 'on'>, log: Logger): void {
  for (const name of ['client.created', 'client.updated', 'client.deleted'] as const) {
    oauth.on(name, ({ instance, client }) =>
      log.info(name, { audit: true, domain: instance.domain, clientId: client.id }),
    )
  }
  oauth.on('clients.limit.exceeded', ({ instance, limit }) =>
    log.warn('clients.limit.exceeded', { audit: true, domain: instance.domain, limit }),
  )
  oauth.on('code.created', ({ instance, client, scope, address }) =>
    log.info('consent.given', {
      audit: true,
      domain: instance.domain,
      clientId: client.id,
      scope,
      address,
    }),
  )
  oauth.on('token.issued', ({ instance, client, grant, scope }) =>
    log.info('token.issued', {
      audit: true,
      domain: instance.domain,
      clientId: client.id,
      grant,
      scope,
    }),
  )
  oauth.on('grant.revoked', ({ instance, clientId, reason }) =>
    log.info('grant.revoked', { audit: true, domain: instance.domain, clientId, reason }),
  )
}

/** The same for what happens in the owner's browser. */
export function auditHooks(log: Logger): Hooks {
  return {
    onLoggedIn: ({ instance, method, address }) =>
      log.info('login.succeeded', { audit: true, domain: instance.domain, method, address }),
    onLoginFailed: ({ instance, address, code }) =>
      log.warn('login.failed', { audit: true, domain: instance.domain, address, reason: code }),
    onSessionsEnded: ({ instance, sessionIds, reason }) =>
      log.info('sessions.ended', {
        audit: true,
        domain: instance.domain,
        count: sessionIds.length,
        reason,
      }),
    onOnboarded: ({ instance }) =>
      log.info('owner.onboarded', { audit: true, domain: instance.domain }),
  }
}

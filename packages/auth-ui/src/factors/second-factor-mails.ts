import { type Logger, MINUTE_MS, type RouteContext } from '@svc/platform'
import type { Background } from '../background.ts'
import type { Lifetimes } from '../lifetimes.ts'
import type { Owner } from '../owner/owner.ts'
import type { Mailer, TwoFactorPurpose } from '../ports.ts'
import type { DescribeRequest } from '../web/request-facts.ts'
import type { SecurityUrl } from '../web/security-url.ts'

/** What the second step mails the owner. */
export interface SecondFactorMails {
  /** Resolves when the mail is accepted for sending. */
  sendPasscode(ctx: RouteContext, purpose: TwoFactorPurpose, passcode: string): Promise<void>
  /** No answer waits for it. */
  tellRecoveryCodeUsed(ctx: RouteContext, owner: Owner): Promise<void>
}

/** What {@link createSecondFactorMails} needs. */
export interface SecondFactorMailsOptions {
  readonly mailer: Mailer
  readonly background: Background
  readonly describeRequest: DescribeRequest
  readonly securityUrl: SecurityUrl
  readonly lifetimes: Lifetimes
  readonly log: Logger
}

/** The owner is the only recipient. */
export function createSecondFactorMails(options: SecondFactorMailsOptions): SecondFactorMails {
  const { mailer, background, describeRequest, securityUrl, lifetimes, log } = options
  return {
    async sendPasscode(ctx, purpose, passcode) {
      const facts = await describeRequest(ctx)
      const minutes = Math.round(lifetimes.twoFactor / MINUTE_MS)
      await mailer.send(ctx.state.instance, {
        template: 'two_factor',
        variables: { ...facts, minutes, passcode, purpose },
      })
    },
    async tellRecoveryCodeUsed(ctx, owner) {
      const { instance } = ctx.state
      const left = owner.factors?.recovery?.hashes.length ?? 0
      log.info('recovery_code.used', { instance: instance.domain, left })
      // Read before the request is gone.
      const facts = await describeRequest(ctx)
      background.run('mail.recovery_code_used', async () => {
        await mailer.send(instance, {
          template: 'auth_mode_changed',
          variables: {
            ...facts,
            ...{ change: 'recovery_code_used', factor: 'recovery', left },
            url: await securityUrl(instance),
          },
        })
      })
    },
  }
}

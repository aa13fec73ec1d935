import type { OAuth } from '@svc/oauth-core'
import type { RouteRow } from '@svc/platform'
import { type AnswerClientOptions, createAnswerClient } from './flagship/answer-client.ts'
import { type ClientCheckOptions, createClientCheck } from './flagship/client-check.ts'
import { createFlagshipLogin, type FlagshipLoginOptions } from './flagship/flagship-login.ts'
import {
  createFlagshipMagicLink,
  type FlagshipMagicLinkOptions,
} from './flagship/flagship-magic-link.ts'
import {
  createFlagshipOnboarding,
  type FlagshipOnboardingOptions,
} from './flagship/flagship-onboarding.ts'
import { flagshipRows } from './flagship/rows.ts'
import { createMagicCodeCheck, type MagicCodeCheckOptions } from './magic-link/magic-code-check.ts'
import { createMagicLink, type MagicLinkOptions } from './magic-link/magic-link.ts'
import { createMagicLinkPages, type MagicLinkPagesOptions } from './magic-link/magic-link-pages.ts'
import { createRequestLink, type RequestLinkOptions } from './magic-link/request-link.ts'
import { magicLinkRows } from './magic-link/rows.ts'
import { sessionCodeRows } from './session-code/rows.ts'
import { createSessionCodeEndpoint, type SessionCodeOptions } from './session-code/session-code.ts'

/** What {@link assembleCodeLogins} needs: the parts of `createAuthUi`. */
export interface CodeLoginParts
  extends MagicCodeCheckOptions,
    RequestLinkOptions,
    Omit<SessionCodeOptions, 'clients'>,
    Omit<ClientCheckOptions, 'clients'>,
    Omit<AnswerClientOptions, 'clients'>,
    Omit<FlagshipLoginOptions, 'answerClient' | 'checkClient'>,
    Omit<FlagshipMagicLinkOptions, 'answerClient' | 'checkClient' | 'codeCheck'>,
    Omit<FlagshipOnboardingOptions, 'answerClient' | 'checkClient'>,
    MagicLinkPagesOptions,
    Omit<MagicLinkOptions, 'codeCheck' | 'linkPages'> {
  readonly oauth: Pick<OAuth, 'clients'>
}

/** The endpoints of `session-code/`, `magic-link/` and `flagship/`. */
export function assembleCodeLogins(given: CodeLoginParts): readonly RouteRow[] {
  const codeCheck = createMagicCodeCheck(given)
  const checkClient = createClientCheck({ ...given, clients: given.oauth.clients })
  const answerClient = createAnswerClient({ ...given, clients: given.oauth.clients })
  const linkPages = createMagicLinkPages(given)
  const { clients } = given.oauth
  const parts = { ...given, clients, codeCheck, checkClient, answerClient, linkPages }
  return [
    ...sessionCodeRows(createSessionCodeEndpoint(parts)),
    ...magicLinkRows(createRequestLink(parts), createMagicLink(parts)),
    ...flagshipRows({
      login: createFlagshipLogin(parts),
      magicLink: createFlagshipMagicLink(parts),
      onboard: createFlagshipOnboarding(parts),
    }),
  ]
}

import { redirectTarget } from '../consent/redirect-target.ts'
import { isolated } from '../messages.ts'
import type { PageRenderer } from './page-renderer.ts'
import { problemTexts } from './form-problem.ts'
import type { ShowPage } from './show-page.ts'

/** Moving to another server. */
export type MovePages = Pick<PageRenderer, 'movePage'>

const MOVE_PROBLEMS = [
  'busy',
  'cross_origin',
  'csrf_invalid',
  'csrf_missing',
  'invalid_passphrase',
  'mail_failed',
  'rate_limited',
] as const

/** @see oauth.md 5.10 */
export function createMovePages({ messagesOf, show }: ShowPage): MovePages {
  return {
    async movePage(ctx, model) {
      show(
        ctx,
        'move',
        {
          model,
          name: isolated(model.client.metadata.client_name),
          target: redirectTarget(model.redirectUri),
          problems: problemTexts(messagesOf(ctx), MOVE_PROBLEMS),
        },
        { formActionSources: model.formActionSources, keepsOpener: true },
        model.client,
      )
    },
  }
}

import type { AssistantView, ConsentView, SharingView } from '@svc/oauth-core'
import type { RouteContext } from '@svc/platform'
import type { Context } from 'koa'
import { pageHeaders } from '../pages/page-headers.ts'
import type { AuthUiServices } from '../services.ts'

/** What a page of the host in the place of one of ours has to have. */
export interface OwnForm {
  readonly method: 'post'
  readonly action: string
  /** The hidden fields, the token against forged requests among them; in this order, each as it is. */
  readonly hidden: Readonly<Record<string, string>>
  /** The headers of the answer. The policy lets the page load files of the instance's host, and end where it has to. */
  readonly headers: Readonly<Record<string, string>>
}

/** The form of a consent, of an assistant or of a sharing. Sets the cookie that the token belongs to. */
export async function ownForm(
  { csrf }: Pick<AuthUiServices, 'csrf'>,
  context: Context,
  view: AssistantView | ConsentView | SharingView,
): Promise<OwnForm> {
  // Routes run behind `resolveInstance` and the router.
  const ctx = context as RouteContext
  const { fields, formActionSource } = view
  return {
    method: 'post',
    action: 'sharer' in view ? '/auth/authorize/sharing' : '/auth/authorize',
    hidden: { csrf_token: await csrf.token(ctx), ...fields },
    headers: pageHeaders({
      formActionSources: formActionSource === undefined ? [] : [formActionSource],
      keepsOpener: true,
    }),
  }
}

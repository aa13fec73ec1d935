import type { RouteContext } from '@svc/platform'
import type { Csrf } from '../web/csrf.ts'
import { formActionSources } from '../web/redirect-target.ts'
import type { Redirects, RedirectTarget } from '../web/redirect-target.ts'
import type { Owner } from '../owner/owner.ts'
import type { FormPageModel, FormProblem } from '../pages/page-models.ts'
import type { PageRenderer } from '../pages/page-renderer.ts'

/** A link that somebody followed. */
export interface FollowedLink {
  readonly owner: Owner
  readonly code: string
  /** Undefined: none was asked for. */
  readonly target: RedirectTarget | undefined
}

/** What a link shows before it logs anybody in. */
export interface MagicLinkPages {
  /** One button. */
  button(ctx: RouteContext, link: FollowedLink): Promise<void>
  passphrase(ctx: RouteContext, link: FollowedLink, problem?: FormProblem): Promise<void>
}

/** What {@link createMagicLinkPages} needs. */
export interface MagicLinkPagesOptions {
  readonly pages: PageRenderer
  readonly csrf: Csrf
  readonly redirects: Redirects
}

/** The status is the caller's. */
export function createMagicLinkPages(options: MagicLinkPagesOptions): MagicLinkPages {
  const { pages, csrf, redirects } = options

  async function form(
    ctx: RouteContext,
    { target }: FollowedLink,
  ): Promise<FormPageModel & { readonly redirect: string }> {
    const { instance } = ctx.state
    return {
      csrfToken: await csrf.token(ctx),
      formActionSources: formActionSources(instance, target ?? (await redirects.home(instance))),
      redirect: target?.href ?? '',
    }
  }

  return {
    async button(ctx, link) {
      await pages.magicLinkOpenPage(ctx, { ...(await form(ctx, link)), code: link.code })
    },
    async passphrase(ctx, link, problem) {
      await pages.magicLinkPassphrasePage(ctx, {
        ...(await form(ctx, link)),
        salt: link.owner.salt,
        iterations: link.owner.iterations,
        magicCode: link.code,
        ...(problem === undefined ? {} : { problem }),
      })
    },
  }
}

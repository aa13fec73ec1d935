import { colourOf } from '../consent/consent-model.ts'
import { groupsOf } from '../consent/permission-items.ts'
import type { FindPermissionText } from '../consent/permission-texts.ts'
import { redirectTarget, workingLink } from '../consent/redirect-target.ts'
import { isolated, leftToRight } from '../messages.ts'
import type { PageRenderer } from './page-renderer.ts'
import { initialsOf } from '../views.ts'
import type { ShowPage } from './show-page.ts'

/** Taking part in what another owner shares. */
export type SharingPages = Pick<PageRenderer, 'sharingPage'>

/**
 * @param namespace prefix of doctypes, for permission texts
 * @param findText words of the host for kinds of data
 * @see oauth.md 5.9
 */
export function createSharingPages(
  { messagesOf, show }: ShowPage,
  namespace: string,
  findText: FindPermissionText,
): SharingPages {
  return {
    async sharingPage(ctx, model) {
      const { sharer, description, permissions, client, redirectUri, cancelUrl } = model.view
      const placed = permissions.map((permission, place) => ({ permission, place, isTicked: true }))
      show(
        ctx,
        'sharing',
        {
          model,
          sharer: {
            name: isolated(sharer.name),
            domain: leftToRight(sharer.domain),
            initials: initialsOf(sharer.name, 2),
            colour: colourOf(sharer.domain),
          },
          groups: groupsOf(placed, { namespace, findText, messages: messagesOf(ctx) }),
          ...(description === undefined ? {} : { description: isolated(description) }),
          ...(client === undefined ? {} : { app: isolated(client.metadata.client_name) }),
          ...(redirectUri === undefined ? {} : { target: redirectTarget(redirectUri) }),
          cancelUrl: workingLink(cancelUrl) ?? '/',
        },
        { formActionSources: model.formActionSources, keepsOpener: true },
        client,
      )
    },
  }
}

import type { AuthUi } from '@svc/auth-ui'
import type { InternalNotification, Notify } from '@svc/notify'
import { type Client, type OAuth, parseScope } from '@svc/oauth-core'
import { DAY_MS, HOUR_MS, type Instance, originOfApp } from '@svc/platform'
import type { HostEventLog } from '../log/log.ts'

/** What ends an assistant's access without its owner. */
const UNASKED: ReadonlySet<string> = new Set([
  'client_gone',
  'refresh_reuse',
  'weaker_authentication',
])

export interface AssistantNoticesOptions {
  readonly oauth: Pick<OAuth, 'clients' | 'clock' | 'log' | 'on'>
  readonly notify: Pick<Notify, 'post'>
  readonly owners: Pick<AuthUi['settingsOwners'], 'clientName' | 'rightsInWords'>
}

/**
 * Tells owners by mail and in the notifications when an assistant was connected, when its access ended without them, and
 * when it reads much. @see assistants.md 5.7
 */
export function tellAboutAssistants({ oauth, notify, owners }: AssistantNoticesOptions): void {
  const { clients, clock } = oauth
  const log: HostEventLog = oauth.log
  const tell = (
    instance: Instance,
    category: string,
    clientId: string,
    compose: (client: Client) => Promise<Pick<InternalNotification, 'data' | 'state'>>,
  ): void => {
    const post = async (): Promise<void> => {
      const client = await clients.get(instance, clientId)
      if (client === undefined) return
      const { state, data } = await compose(client)
      await notify.post(instance, {
        originator: 'stack',
        category,
        categoryId: client.id,
        ...(state !== undefined && { state }),
        data: { ...dataOf(instance, client, owners), ...data },
      })
    }
    post().catch((error: Error) =>
      log.error('notification.not_posted', {
        domain: instance.domain,
        category,
        cause: error.message,
      }),
    )
  }

  oauth.on('assistant.allowed', ({ instance, client, scope, address, endsAt, news }) => {
    if (news === undefined) return
    tell(instance, 'assistant-connected', client.id, async () => ({
      state: `${news}:${endsAt}`,
      data: {
        Host: hostOf(client),
        ...(client.unnamed !== undefined && { IsUnnamed: true }),
        // What matters most comes first: it may be new and write at once.
        News: writes(scope) ? 'write' : news,
        Rights: [...(await owners.rightsInWords(instance, scope))],
        EndsAt: endsAt,
        Time: clock.now(),
        Address: address,
      },
    }))
  })

  oauth.on('grant.revoked', ({ instance, clientId, grantId, reason, resource }) => {
    if (resource === undefined || !UNASKED.has(reason)) return
    // What ends because of the client ends with all of its grants, and is told once.
    const which = reason === 'refresh_reuse' ? grantId : Math.floor(clock.now() / HOUR_MS)
    tell(instance, 'assistant-ended', clientId, async () => ({
      state: `${reason}:${which}`,
      data: { Reason: reason },
    }))
  })

  oauth.on('assistant.busy', ({ instance, clientId, documents }) => {
    tell(instance, 'assistant-busy', clientId, async () => ({
      state: String(Math.floor(clock.now() / DAY_MS)),
      data: { Documents: documents },
    }))
  })
}

function writes(scope: string): boolean {
  return (parseScope(scope) ?? []).some(({ verbs }) => verbs.some((verb) => verb !== 'GET'))
}

function dataOf(
  instance: Instance,
  client: Client,
  { clientName }: Pick<AuthUi['settingsOwners'], 'clientName'>,
) {
  return {
    ClientName: clientName(instance, client),
    AccessLink: `${originOfApp(instance, 'settings')}/?section=apps&highlight=${client.id}`,
  }
}

/** Empty: it registered. */
function hostOf({ document }: Client): string {
  return document === undefined ? '' : new URL(document.url).host
}

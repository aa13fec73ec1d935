import type { ClientEvent, OAuth } from '@svc/oauth-core'
import type { Realtime } from '@svc/realtime'

/**
 * Tells the settings app that a client came, changed or went. Without the record: it reads that itself, as it may.
 * @see decision D44
 */
export function tellClientChanges(
  oauth: Pick<OAuth, 'namespace' | 'on'>,
  realtime: Pick<Realtime, 'publish'>,
): void {
  const type = `${oauth.namespace}.oauth.clients`
  function tell(verb: 'CREATED' | 'UPDATED' | 'DELETED') {
    return ({ instance, client }: ClientEvent): void => {
      void realtime.publish(instance, verb, { type, id: client.id })
    }
  }
  oauth.on('client.created', tell('CREATED'))
  oauth.on('client.updated', tell('UPDATED'))
  oauth.on('client.deleted', tell('DELETED'))
}

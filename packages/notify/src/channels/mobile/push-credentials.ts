import { isSlug, type Outbound } from '@svc/platform'
import type { PushCredentialStore } from '../../ports.ts'
import type { CredentialsFile } from './credentials-file.ts'
import type { OutgoingPush, PushGateway } from './push-gateway.ts'
import type { NotifyLog } from '../../log/log-events.ts'

/** Whose credentials a push is sent with. */
export interface CredentialSource<Credentials> {
  /** Asked at every push; undefined: the provider is not configured for it. */
  credentialsOf(push: Pick<OutgoingPush, 'instance' | 'slug'>): Promise<Credentials | undefined>
}

/**
 * Credentials of the app in the instance's context, of the app, or the default ones; entries that cannot be used are
 * passed over. @see notifications.md 16.3
 */
export function createCredentialSource<Credentials extends object>(options: {
  readonly store: PushCredentialStore | undefined
  readonly member: 'push_credentials' | 'apns_credentials'
  readonly parse: (value: unknown) => Credentials | undefined
  readonly file: CredentialsFile<Credentials> | undefined
  readonly log: NotifyLog
}): CredentialSource<Credentials> {
  const { store, member, parse, file, log } = options

  async function ofEntry(id: string): Promise<Credentials | undefined> {
    const value = (await store?.getRaw(id))?.[member]
    if (value === undefined || value === null) return undefined
    const credentials = parse(value)
    if (credentials === undefined) {
      log.warn('push.credentials.unusable', { entry: id, member, fault: 'malformed' })
    }
    return credentials
  }

  return {
    async credentialsOf({ instance: { context }, slug }) {
      for (const id of idsOf(context, slug)) {
        const credentials = await ofEntry(id)
        if (credentials !== undefined) return credentials
      }
      return file?.current()
    },
  }
}

/** A name with a slash could address another entry and is rejected. */
function idsOf(context: string | undefined, slug: string | undefined): string[] {
  if (slug === undefined || !isSlug(slug)) return []
  const isPlain = context !== undefined && context !== '' && !context.includes('/')
  return isPlain ? [`${context}/${slug}`, slug] : [slug]
}

/** All of one provider: the gateway follows the credentials of a push. */
export interface PushPlatform {
  /** Undefined: not configured for it. */
  gatewayOf(push: Pick<OutgoingPush, 'instance' | 'slug'>): Promise<PushGateway | undefined>
  close(): Promise<void>
}

export interface PlatformParts {
  /** Credentials of single apps. */
  readonly store: PushCredentialStore | undefined
  readonly outbound: Outbound
  readonly clock: { now(): number }
  readonly log: NotifyLog
}

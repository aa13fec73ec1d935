import type { Client } from '@svc/oauth-core'
import { leftToRight, type Messages } from '../messages.ts'
import type { Words } from './permission-words.ts'

/** Words in the place of a name that its client never said: only where it returns to is certain. @see decision D90 */
export function unnamedWords({ redirectUri }: NonNullable<Client['unnamed']>): Words {
  const url = URL.parse(redirectUri ?? '')
  if (url === null) return ['client.unnamed.nowhere', {}]
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:'
  // Behind another scheme there is no host, whatever stands there.
  return ['client.unnamed', { host: leftToRight(isWeb ? url.host : url.protocol) }]
}

/** What a client is called where a text has to do. @param unnamed - it has no name */
export function clientName(messages: Messages, name: string, unnamed: Client['unnamed']): string {
  return unnamed === undefined ? name : messages.text(...unnamedWords(unnamed))
}

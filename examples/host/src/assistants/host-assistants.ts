import { createMcp, type Mcp, type McpOptions } from '@svc/mcp'
import type { OAuth } from '@svc/oauth-core'
import { permissionTexts } from '../apps/permission-texts.ts'
import { createDocumentsPort, type DocumentsPortOptions } from './documents-port.ts'

export interface HostAssistantsOptions
  extends Pick<DocumentsPortOptions, 'documents' | 'events' | 'isSpaceLow'> {
  readonly oauth: OAuth
  /** How often they may call, where it is not as `createMcp` has it. */
  readonly limits: NonNullable<McpOptions['limits']>
  /** Whether assistants may connect at all. */
  readonly isOn: boolean
  /** Whether they may write. */
  readonly writes: boolean
  /** What they are offered to read. @defaultValue what this host has words for */
  readonly kinds?: readonly string[]
}

/** `/mcp` of this host. @returns undefined: there is none, and nothing about resources exists */
export function createHostAssistants(options: HostAssistantsOptions): Mcp | undefined {
  const { oauth, isOn, writes, limits } = options
  if (!isOn) return undefined
  const texts = permissionTexts(oauth.namespace)
  const kinds = options.kinds ?? Object.keys(texts).filter((kind) => !isReserved(oauth, kind))
  const data = createDocumentsPort({ ...options, kinds, texts })
  return createMcp({ oauth, writes, limits, data })
}

/** Notifications have words, since apps ask for them; no assistant is offered any. @see assistants.md 4.8 */
function isReserved({ namespace }: OAuth, kind: string): boolean {
  return kind.startsWith(`${namespace}.notifications`)
}

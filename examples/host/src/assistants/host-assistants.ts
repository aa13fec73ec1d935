import type { AssistantChanges } from '@svc/auth-ui'
import { createMcp, type Mcp } from '@svc/mcp'
import type { OAuth } from '@svc/oauth-core'
import { permissionTexts } from '../apps/permission-texts.ts'
import { assistantSwitches } from '../config/assistants.ts'
import type { Config } from '../config/config.ts'
import { mcpOverrides } from '../config/overrides.ts'
import { DocumentVersions } from '../documents/document-versions.ts'
import type { DiskQuota } from '../quota/disk-quota.ts'
import type { SharedDocuments } from './document-rules.ts'
import { createDocumentsPort, type DocumentsPortOptions } from './documents-port.ts'
import { createAssistantChanges } from './put-back.ts'

export interface HostAssistantsOptions
  extends Pick<DocumentsPortOptions, 'documents' | 'events' | 'isSpaceLow'> {
  readonly config: Config
  readonly oauth: OAuth
  readonly quota: Pick<DiskQuota, 'admit'>
  /** Undefined: nothing is shared. */
  readonly isShared: SharedDocuments | undefined
}

/** What assistants meet on this host, and what they leave behind. */
export interface HostAssistants {
  /** `/mcp`. Undefined: there is none, and nothing about resources exists. */
  readonly assistants: Mcp | undefined
  /** What they changed, also while they are off: it can be put back. */
  readonly assistantChanges: AssistantChanges
}

export function createHostAssistants(options: HostAssistantsOptions): HostAssistants {
  const { config, oauth, documents, events, quota, isShared = async () => false } = options
  const { store, clock } = oauth
  const versions = new DocumentVersions({ store, clock, quota })
  const assistantChanges = createAssistantChanges({ store, documents, versions, events })
  const { isOn, writes, ...offered } = assistantSwitches(config.assistants)
  if (!isOn) return { assistants: undefined, assistantChanges }
  const texts = permissionTexts(oauth.namespace)
  const kinds = offered.kinds ?? Object.keys(texts).filter((kind) => !isReserved(oauth, kind))
  const data = createDocumentsPort({ ...options, isShared, versions, kinds, texts })
  const assistants = createMcp({ oauth, writes, data, ...mcpOverrides(config) })
  return { assistants, assistantChanges }
}

/** Notifications have words, since apps ask for them; no assistant is offered any. @see assistants.md 4.8 */
function isReserved({ namespace }: OAuth, kind: string): boolean {
  return kind.startsWith(`${namespace}.notifications`)
}

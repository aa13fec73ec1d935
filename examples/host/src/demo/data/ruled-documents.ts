import type { AccessContext } from '@svc/oauth-core'
import type { Instance, RouteContext } from '@svc/platform'
import type { Realtime } from '@svc/realtime'
import type { ConfirmedTypes } from './confirmed-types.ts'
import { toWire } from './data-wire.ts'
import type { DoctypeRules } from './doctype-rules.ts'
import type { Fields, StoredDocument } from '../../documents/document-store.ts'

type ChangeVerb = 'CREATED' | 'UPDATED' | 'DELETED'

/** Documents as they come and go, by the rules of their types; those of other types are as they are. */
export interface RuledDocuments {
  /** What is stored of what was sent. */
  admitted(ctx: RouteContext, sent: Omit<StoredDocument, 'rev'>, before?: StoredDocument): Fields
  /** The document as the caller may read it. */
  shown(ctx: RouteContext, access: AccessContext, document: StoredDocument): Promise<StoredDocument>
  deleted(instance: Instance, document: StoredDocument): Promise<void>
  /** Tells subscribers, for whom nobody waits. What wants a confirmation is not shown to them. */
  tell(instance: Instance, verb: ChangeVerb, document: StoredDocument): void
}

export function createRuledDocuments(options: {
  readonly events: Pick<Realtime, 'publish'> | undefined
  readonly confirmedTypes: ConfirmedTypes
  readonly rules: readonly DoctypeRules[]
}): RuledDocuments {
  const { events, confirmedTypes } = options
  const rules = new Map(options.rules.map((each) => [each.type, each]))

  async function announce(
    instance: Instance,
    verb: ChangeVerb,
    document: StoredDocument,
  ): Promise<void> {
    const { type, id } = document
    const fields = await rules.get(type)?.showAll(instance, document)
    const doc = { doc: toWire(fields === undefined ? document : { ...document, fields }) }
    await events?.publish(instance, verb, { type, id, ...(!confirmedTypes.has(type) && doc) })
  }

  return {
    admitted: (ctx, sent, before) =>
      rules.get(sent.type)?.admit(ctx.state.instance, sent, before) ?? sent.fields,
    async shown(ctx, access, document) {
      const fields = await rules.get(document.type)?.show(ctx, access, document)
      return fields === undefined ? document : { ...document, fields }
    },
    async deleted(instance, document) {
      await rules.get(document.type)?.deleted(instance, document)
    },
    tell: (instance, verb, document) => void announce(instance, verb, document),
  }
}

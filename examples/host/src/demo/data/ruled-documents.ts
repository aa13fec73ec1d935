import type { AccessContext } from '@svc/oauth-core'
import type { Instance, RouteContext } from '@svc/platform'
import type { Realtime } from '@svc/realtime'
import type { Fields, StoredDocument } from '../../documents/document-store.ts'
import { toWire } from './data-wire.ts'
import type { DoctypeRules } from './doctype-rules.ts'

type ChangeVerb = 'CREATED' | 'UPDATED' | 'DELETED'

/** Rules of single types; documents of other types are as they are. */
export interface RuledServices {
  readonly events: Pick<Realtime, 'publish'>
  /** Doctypes whose documents are read and deleted only right after the owner confirmed. */
  readonly confirmedTypes: ReadonlySet<string>
  readonly rules: readonly DoctypeRules[]
}

export function ruleOf(
  { rules }: Pick<RuledServices, 'rules'>,
  type: string,
): DoctypeRules | undefined {
  return rules.find((rule) => rule.type === type)
}

/** What is stored of what was sent. */
export function admit(
  services: RuledServices,
  instance: Instance,
  sent: Omit<StoredDocument, 'rev'>,
  before?: StoredDocument,
): Fields {
  return ruleOf(services, sent.type)?.admit(instance, sent, before) ?? sent.fields
}

/** The document as the caller may read it. */
export async function show(
  services: RuledServices,
  ctx: RouteContext,
  access: AccessContext,
  document: StoredDocument,
): Promise<StoredDocument> {
  const fields = await ruleOf(services, document.type)?.show(ctx, access, document)
  return fields === undefined ? document : { ...document, fields }
}

/** Tells subscribers, for whom nobody waits. What wants a confirmation is not shown to them. */
export function notifySubscribers(
  services: RuledServices,
  instance: Instance,
  verb: ChangeVerb,
  document: StoredDocument,
): void {
  void publish(services, instance, verb, document)
}

async function publish(
  services: RuledServices,
  instance: Instance,
  verb: ChangeVerb,
  document: StoredDocument,
): Promise<void> {
  const { confirmedTypes, events } = services
  const { type, id } = document
  const fields = await ruleOf(services, type)?.showAll(instance, document)
  const doc = { doc: toWire(fields === undefined ? document : { ...document, fields }) }
  await events.publish(instance, verb, { type, id, ...(!confirmedTypes.has(type) && doc) })
}

import { type ConsentView, rightsOf } from '@svc/oauth-core'
import { isolated, leftToRight, type MessageValues } from '../messages.ts'
import { isSensitive, type KindOptions } from './kind-facts.ts'
import { imitated } from './look-alike.ts'
import { webAddress } from './redirect-target.ts'
import { objectList } from './sentence.ts'

/** The one thing to look at twice, in words of the catalogue. */
export interface Caution {
  readonly look: 'danger' | 'warning'
  readonly key: string
  /** Key of what follows the bold words; absent: they say all. */
  readonly textKey?: string
  readonly values: MessageValues
}

/** The first that holds; most pages have none, so that one is seen. */
export function cautionOf(
  view: ConsentView,
  ownNames: readonly string[],
  options: KindOptions,
): Caution | undefined {
  return (
    imitation(view, ownNames) ??
    everything(view) ??
    otherAddress(view) ??
    notStarted(view) ??
    couldDelete(view, options)
  )
}

function imitation(
  { client, linkedApp, signs }: ConsentView,
  ownNames: readonly string[],
): Caution | undefined {
  const name = client.metadata.client_name
  // SPEC: D103 - what vouched for it knew another name.
  const isVouchedFor = signs.isCertified && client.formerName === undefined
  if (linkedApp !== undefined || isVouchedFor) return undefined
  const app = imitated(name, ownNames)
  if (app === undefined) return undefined
  const values = { name: isolated(name), app: isolated(app) }
  return { look: 'danger', ...withText('imitation'), values }
}

function everything({ permissions }: ConsentView): Caution | undefined {
  if (!permissions.some(({ type }) => type === '*')) return undefined
  return { look: 'danger', ...withText('everything'), values: {} }
}

function otherAddress({ client, linkedApp, signs, redirectUri }: ConsentView): Caution | undefined {
  const says = webAddress(client.metadata.client_uri)
  const goes = webAddress(redirectUri)
  if (linkedApp !== undefined || signs.leavesTo !== 'site') return undefined
  if (says === undefined || goes === undefined) return undefined
  const values = { host: leftToRight(says.host), target: leftToRight(goes.host) }
  return { look: 'warning', ...withText('addresses'), values }
}

function notStarted({ client, signs }: ConsentView): Caution | undefined {
  if (!signs.isNew || !signs.isSelfRegistered || signs.leavesTo !== 'program') return undefined
  const values = { name: isolated(client.metadata.client_name) }
  return { look: 'warning', key: 'consent.caution.started', values }
}

function couldDelete(
  { signs, permissions, permissionChoice }: ConsentView,
  options: KindOptions,
): Caution | undefined {
  if (!signs.isNew || !signs.isSelfRegistered) return undefined
  const deleted = permissions.filter(
    (permission) =>
      rightsOf(permission).includes('delete') && isSensitive(permission.type, options),
  )
  if (deleted.length === 0) return undefined
  const values = { objects: objectList(deleted, 2, options) }
  const words = permissionChoice === 'open' ? withText('delete') : { key: 'consent.caution.delete' }
  return { look: 'warning', ...words, values }
}

function withText(name: string): { readonly key: string; readonly textKey: string } {
  return { key: `consent.caution.${name}`, textKey: `consent.caution.${name}.text` }
}

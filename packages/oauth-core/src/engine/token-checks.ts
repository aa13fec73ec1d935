import type { Parameters } from '@svc/platform'
import { type Client, isCertified, isPublic } from '../clients/client.ts'
import { OAuthError } from '../errors.ts'
import { isBareOrigin, type Resources } from '../resources/resources.ts'
import type { Engine } from './engine.ts'
import type { UnitOfWork } from './unit-of-work.ts'

// What a token request has to meet beside what the engine asks. Nothing is used up by a refusal.

/** SPEC: assistants.md 2.9 - what the operator does not let in any more has nothing. */
export function checkAllowed({ described }: Engine, client: Client): void {
  if (described.isAllowed(client)) return
  const description = 'grant request is invalid'
  throw new OAuthError('invalid_grant', { description, detail: 'its host is denied' })
}

/** SPEC: oauth.md 11.3 - without its certification a client gets nothing more of scope `*`. */
export function checkCertified({ flagship }: Engine, { grant }: UnitOfWork, client: Client): void {
  if (grant?.record?.value.scope !== '*' || isCertified(client, flagship)) return
  const description = 'grant request is invalid'
  throw new OAuthError('invalid_grant', { description, detail: 'its client is not certified' })
}

/**
 * SPEC: assistants.md 4.3 - a grant has one resource for life, which has to be there still.
 * @throws OAuthError `invalid_target`; nothing is used up
 */
export function checkResource(
  { resources }: { readonly resources: Resources },
  { instance, grant }: UnitOfWork,
  client: Client,
  form: Parameters,
): void {
  const path = grant?.record?.value.resource
  if (path !== undefined && resources.at(path) === undefined) {
    const detail = 'its resource is gone'
    throw new OAuthError('invalid_grant', { description: 'grant request is invalid', detail })
  }
  const asked = form.text('resource')
  if (resources.isEmpty || asked === '') return
  const resource = resources.choose(asked, instance, isPublic(client))
  if (resource !== 'unknown' && resource?.path === path) return
  // Grants from before D94 may have been asked for by the bare origin, which was the interface.
  if (path === undefined && isBareOrigin(asked, instance)) return
  throw new OAuthError('invalid_target', { description: 'the grant is for another resource' })
}

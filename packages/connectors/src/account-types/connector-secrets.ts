import type { AccountTypes } from './account-type.ts'

/**
 * The secret that is not OAuth, for the parameters of a connector: of the one entry of its slug, when there is exactly
 * one and its mode is `secret` or ends with `+secret`.
 * @see connectors.md 3.5
 */
export async function secretsForConnector(
  types: Pick<AccountTypes, 'findBySlug'>,
  slug: string,
  context: string | undefined,
): Promise<{ readonly secret: unknown } | undefined> {
  const [type, ...others] = await types.findBySlug(slug, context)
  if (type === undefined || others.length > 0) return undefined
  const isSecretMode = type.grantMode === 'secret' || type.grantMode?.endsWith('+secret') === true
  if (!isSecretMode || type.secret === undefined) return undefined
  return { secret: type.secret.reveal() }
}

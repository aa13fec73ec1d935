import { type RedirectTarget, withoutParameters } from '../web/redirect-target.ts'

/**
 * The `Location` after a confirmation: `state` and `code` in place of any the target had, the rest byte for byte. A
 * fragment of the target is kept, except on the instance's own host, where `#` stops the browser from carrying its own
 * on.
 * @see login.md 6.2
 */
export function confirmedLocation(
  target: RedirectTarget,
  confirmed: { readonly state: string; readonly code: string },
): string {
  const at = target.href.indexOf('#')
  const bare = at === -1 ? target.href : target.href.slice(0, at)
  const kept = withoutParameters(bare, ['code', 'state'])
  const added = `state=${encodeURIComponent(confirmed.state)}&code=${confirmed.code}`
  const address = `${kept}${kept.includes('?') ? '&' : '?'}${added}`
  if (target.slug === undefined && target.outerHost === undefined) return `${address}#`
  return at === -1 ? address : address + target.href.slice(at)
}

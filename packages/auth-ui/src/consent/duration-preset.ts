import { type ConsentDuration, type ConsentView, rightsOf } from '@svc/oauth-core'
import { isNamed, isSensitive, type KindOptions } from './kind-facts.ts'
import { redirectTarget } from './redirect-target.ts'

/** Clients that go on working when nobody is there: a day helps them nothing. */
const SYNCHRONIZING: ReadonlySet<string> = new Set(['desktop', 'mobile'])

/**
 * The time that is chosen when the page opens: the owner's own last choice, else by what could go wrong. @see docs/decisions/0457
 */
export function presetDuration(view: ConsentView, options: KindOptions): ConsentDuration {
  if (view.duration !== undefined) return view.duration
  if (isLowRisk(view, options)) return 'until_revoked'
  if (!isHighRisk(view, options)) return '30d'
  return SYNCHRONIZING.has(view.client.metadata.client_kind ?? '') ? '30d' : '1d'
}

function isLowRisk({ linkedApp, signs, permissions }: ConsentView, options: KindOptions): boolean {
  if (linkedApp !== undefined || signs.isCertified) return true
  return permissions.every(
    (permission) =>
      rightsOf(permission).every((right) => right === 'read') &&
      !isSensitive(permission.type, options) &&
      isNamed(permission.type, options),
  )
}

function isHighRisk(
  { signs, redirectUri, permissions }: ConsentView,
  options: KindOptions,
): boolean {
  if (!signs.isNew || !signs.isSelfRegistered) return false
  if (redirectTarget(redirectUri).key !== 'consent.target.local') return false
  return permissions.some(
    (permission) =>
      rightsOf(permission).includes('delete') ||
      isSensitive(permission.type, options) ||
      !isNamed(permission.type, options),
  )
}

/** Revisions of the protocol whose requests name theirs in `_meta`. @see assistants.md 6.2 */
export const MODERN_VERSIONS: readonly string[] = ['2026-07-28']
/** Revisions that begin with `initialize`. */
export const LEGACY_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26']
export const VERSIONS: readonly string[] = [...MODERN_VERSIONS, ...LEGACY_VERSIONS]

/** Of this package, as it introduces itself. */
export const OWN_VERSION = '0.1.0'

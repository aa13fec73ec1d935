import type { BundledPackage } from './packages.ts'

/** @see operation.md 7.8 */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
])

/** Looked at one by one, each for the reason that stands there. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  // MIT without the duty to name the author: it asks for less.
  nodemailer: 'MIT-0',
  'postal-mime': 'MIT-0',
  // Copyleft of single files. The package is in the bundle as it was published, with its licence.
  'web-push': 'MPL-2.0',
}

/** What neither a bundle nor a package may bring, each with its licence. */
export function foreignLicences(
  packages: readonly Pick<BundledPackage, 'name' | 'version' | 'license'>[],
): string[] {
  return packages.flatMap(({ name, version, license = 'none' }) =>
    isAllowed(license) || EXCEPTIONS[name] === license
      ? []
      : [`${name}@${version}: the licence ${license} is not on the list`],
  )
}

/** Of an SPDX expression: every part of an AND, one part of an OR. */
function isAllowed(expression: string): boolean {
  const plain = expression.replaceAll(/[()]/g, ' ').trim()
  return plain
    .split(/\s+AND\s+/)
    .every((part) => part.split(/\s+OR\s+/).some((one) => ALLOWED.has(one.trim())))
}

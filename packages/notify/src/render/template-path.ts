const MAX_PATH_LENGTH = 1024

/**
 * The path inside the app's folder that a manifest's `file:…` names, normal; undefined for whatever else it is: another
 * scheme, absolute, leaving the folder.
 * @see notifications.md 10.3
 */
export function parseTemplatePath(reference: string): string | undefined {
  if (!reference.startsWith('file:') || reference.length > MAX_PATH_LENGTH) return undefined
  const path = reference.slice('file:'.length)
  // A backslash parts folders on some systems, a control character is in no name that somebody chose.
  if (/^\/|[\\\u0000-\u001f\u007f]/.test(path) || !path.isWellFormed()) return undefined
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.')
  const isInside = segments.length > 0 && !segments.includes('..') && !path.endsWith('/')
  return isInside ? segments.join('/') : undefined
}

/** The reference for the owner's language: `<key>.<locale>`, `<key>.<language>`, else the bare key. */
export function referenceFor(
  templates: Readonly<Record<string, string>>,
  key: string,
  locale: string,
): string | undefined {
  const language = locale.split('-', 1)[0] ?? locale
  const names = [`${key}.${locale}`, `${key}.${language.toLowerCase()}`, key]
  const name = names.find((each) => Object.hasOwn(templates, each))
  return name === undefined ? undefined : templates[name]
}

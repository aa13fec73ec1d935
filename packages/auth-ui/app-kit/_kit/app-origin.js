/**
 * Origin of another app of the instance: hosts are `<slug>.<domain>`, or `<first label>-<slug>.<rest>` where they must
 * stay on one level. This page's own host tells which.
 *
 * @param {{ protocol: string, host: string }} here
 * @param {string} domain of the instance, with its port
 * @param {string} ownSlug
 * @param {string} slug
 */
export function appOrigin({ protocol, host }, domain, ownSlug, slug) {
  if (host === `${ownSlug}.${domain}`) return `${protocol}//${slug}.${domain}`
  const [first = '', ...rest] = domain.split('.')
  return `${protocol}//${[`${first}-${slug}`, ...rest].join('.')}`
}

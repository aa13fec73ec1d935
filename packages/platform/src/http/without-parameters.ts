/**
 * The URL without the parameters of these names; everything else stays byte for byte. Without a fragment in it.
 * @example
 * const url = withoutParameters('https://notes.example.org/?code=a&page=2', ['code'])
 */
export function withoutParameters(url: string, names: readonly string[]): string {
  const at = url.indexOf('?')
  if (at === -1) return url
  const kept = url
    .slice(at + 1)
    .split('&')
    .filter((pair) => !names.includes(nameOf(pair)))
  return kept.length === 0 ? url.slice(0, at) : `${url.slice(0, at)}?${kept.join('&')}`
}

function nameOf(pair: string): string {
  const name = pair.split('=', 1)[0] ?? ''
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

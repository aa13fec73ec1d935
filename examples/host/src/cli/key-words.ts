import { clean, listOf, table } from './output.ts'

/** Work of the server, as the admin API tells of it. */
export type Work = Readonly<Record<string, unknown>>

/** What a run of `svc keys reseal` has done, and what the operator does next. @see operation.md 3.6, 3.7 */
export function resealWords(work: Work): string {
  const { kid, status, hostname, part, sealed, damaged } = work
  if (status === 'running') {
    const doing = work['pass'] === 'count' ? 'counting what is left' : 'sealing'
    return `${clean(sealed)} values are sealed with ${clean(kid)} now; ${doing}, part ${clean(part)} of 64 (${clean(hostname)}).`
  }
  const lines = [`Sealed again: ${clean(sealed)}.`]
  if (Number(damaged) > 0) {
    lines.push(
      `${clean(damaged)} values do not open with the key that they name. The log has them as keys.open_failed.`,
    )
  }
  for (const other of listOf(work['others'])) {
    const name = clean(other['kid'])
    if (other['empty'] !== true) {
      lines.push(
        Number(other['left']) === 0
          ? `${name} was used meanwhile. Run "svc keys reseal" again.`
          : `${clean(other['left'])} values are still sealed with ${name} (${kindsOf(other['kinds'])}). Run "svc keys reseal" again.`,
      )
      continue
    }
    const source = clean(work['source'])
    lines.push(`Nothing is sealed with ${name} any more. Remove it from ${source}.`)
    const until = other['links_until']
    if (typeof until !== 'string') continue
    lines.push(
      `Unsubscribe links of mails that were sent before ${until.slice(0, 10)} were sealed with ${name}: they stop working when it is removed.`,
    )
  }
  return lines.join('\n')
}

/** Every key in a line, then what holds for the instances. */
export function keyStatusWords(status: Work): string {
  const rows = listOf(status['keys']).map((key) => [
    key['kid'],
    key['position'],
    typeof key['first_used_at'] === 'string' ? key['first_used_at'].slice(0, 10) : undefined,
    kindsOf(key['values']) || '0',
    key['state'],
    key['may_go'] === true ? mayGo(key['links_until']) : 'no',
  ])
  const oldest = status['oldest_signing_key']
  const lines = [
    table(['Key', 'Position', 'First use', 'Values', 'State', 'May go'], rows),
    `Counted: ${clean(status['counted_at'])}. Oldest key that signs for an instance: ${clean(oldest)}.`,
  ]
  return lines.join('\n')
}

function mayGo(linksUntil: unknown): string {
  return typeof linksUntil === 'string'
    ? `yes, with the links of mails from before ${linksUntil.slice(0, 10)}`
    : 'yes'
}

function kindsOf(kinds: unknown): string {
  return Object.entries((kinds ?? {}) as Record<string, unknown>) // of the admin API
    .map(([kind, count]) => `${clean(kind)} ${clean(count)}`)
    .join(', ')
}

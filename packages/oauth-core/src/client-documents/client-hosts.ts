/** Which hosts may have assistants, as the operator wrote it. @see assistants.md 2.10 */
export interface ClientHosts {
  /** `host` or `*.host`. Absent: any. */
  readonly allowed?: readonly string[]
  readonly denied: readonly string[]
}

const LABEL = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?'
/** An entry of either list: lower case, A-labels. */
export const HOST_PATTERN: string = `^(?:\\*\\.)?${LABEL}(?:\\.${LABEL})*$`

/** Whether apps of the host may connect; what is denied is so whatever else allows it. */
export function isAllowedHost(host: string, { allowed, denied }: ClientHosts): boolean {
  if (denied.some((entry) => covers(entry, host))) return false
  return allowed === undefined || allowed.some((entry) => covers(entry, host))
}

/** `*.host` stands for every name below the host, and not for the host. */
function covers(entry: string, host: string): boolean {
  return entry.startsWith('*.') ? host.endsWith(entry.slice(1)) : host === entry
}

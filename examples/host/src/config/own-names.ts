/** Whether a host, with or without a port, is `localhost` or below it. @see decision D53 */
export function isLocalhost(host: string): boolean {
  return /^(?:.+\.)?localhost(?::\d+)?$/.test(host)
}

/** Whether only this machine reaches an address. */
export function isLoopback(address: string): boolean {
  return /^(?:localhost|::1|(?:::ffff:)?127(?:\.\d{1,3}){3})$/i.test(address)
}

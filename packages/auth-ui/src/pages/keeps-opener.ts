/** Whether an authorization in a pop-up can pass through the page at a path. @see decision D55 */
export function keepsOpener(path: string): boolean {
  return /^\/auth\/(?:authorize|login|twofactor|magic_link|confirm)(?:\/|$)/u.test(path)
}

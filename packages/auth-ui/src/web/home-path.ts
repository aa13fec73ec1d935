/** Whether a page of the host can be where logins lead: not one of this interface, which would lead there again. */
export function isHomePath(path: string): boolean {
  return (
    /^\/[^\s\u0000-\u001f\u007f\\?#]+$/.test(path) &&
    !path.startsWith('//') &&
    !/^\/(?:auth|settings)(?:\/|$)/.test(path)
  )
}

const ACCOUNT_ID = /^[A-Za-z0-9][A-Za-z0-9._~@-]{0,127}$/

/** Whether a path segment can name an account: such ids are safe in keys and addresses. */
export function isAccountId(text: string): boolean {
  return ACCOUNT_ID.test(text)
}

/** What sealed values of accounts are for. */
export const INFO = 'svc/account/v1'

/** A value does not open at another account or field. @param type - `<namespace>.accounts` */
export function accountContext(
  instanceId: string,
  type: string,
  accountId: string,
  field: string,
): string {
  return `${instanceId}|${type}|${accountId}|${field}`
}

import type { ErrorObject } from '@svc/platform'
import { ConnectorError, ERRORS } from '../connector-error.ts'
import type { AccountTypeFault } from './account-type.ts'

/** An entry was refused, with everything that is wrong with it. @see connectors.md 2.2 (4) */
export class AccountTypeError extends ConnectorError {
  override readonly name: string = 'AccountTypeError'
  readonly faults: readonly AccountTypeFault[]
  /** One for each fault; pointers into the entry. */
  override readonly errors: readonly ErrorObject[]

  constructor(faults: readonly AccountTypeFault[]) {
    const sentences = faults.map(({ field, reason }) => `${field || 'the entry'} ${reason}`)
    super('invalid_account_type', { description: sentences.join('; ') })
    this.faults = faults
    this.errors = faults.map(({ field, reason }) => ({
      code: 'invalid_account_type',
      title: ERRORS.invalid_account_type.title,
      detail: reason,
      source: { pointer: field === '' ? '' : `/${field}` },
    }))
  }
}

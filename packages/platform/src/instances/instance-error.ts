/** Why an instance could not be made or changed. */
export type InstanceErrorCode =
  | 'domain_taken'
  | 'external_id_taken'
  | 'instance_not_found'
  | 'instance_busy'

/**
 * A refusal of {@link Instances}; recognise it by `code`.
 * @example
 * if (error instanceof InstanceError && error.code === 'domain_taken') return
 */
export class InstanceError extends Error {
  override readonly name: string = 'InstanceError'
  readonly code: InstanceErrorCode

  constructor(code: InstanceErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

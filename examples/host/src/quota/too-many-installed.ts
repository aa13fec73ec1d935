/** As many apps or konnectors are installed as may be. @see operation.md 8.1 */
export class TooManyInstalledError extends Error {
  override readonly name: string = 'TooManyInstalledError'
  readonly code: string = 'too_many_installed'
  readonly status: number = 409
  readonly expose: boolean = true

  /** @param most - of an instance */
  constructor(most: number) {
    super(`${most} are installed already; uninstall one first`)
  }
}

import type { Change, Store } from '../store.ts'

/** What the embedded store can do beside the store port. */
export interface EmbeddedStore extends Store {
  /**
   * Copies the whole store to a new file while writes go on: they are in the copy too. Resolves when the copy is done,
   * not when it is synced.
   * @param options - `signal`: gives it up, at its next step
   * @throws StoreUnavailableError when it cannot be made or is given up; what there is of it may stay
   * @see operation.md 4.1
   */
  backup(target: string, options?: { readonly signal?: AbortSignal }): Promise<void>
  /** The version of the file. @see operation.md 5.1 */
  version(): number
  /**
   * Raises the version of the file and makes the changes, in one write.
   * @throws TypeError when the version is lower than the present one
   */
  raise(version: number, changes: readonly Change[]): Promise<void>
}

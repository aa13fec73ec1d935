/** What can be wrong with a backup. */
export type FaultCode =
  | 'bytes_changed'
  | 'damaged'
  | 'index_differs'
  | 'key_missing'
  | 'key_wrong'
  | 'kind_unknown'
  | 'kind_version'
  | 'manifest'
  | 'not_opened'
  | 'record_count'
  | 'record_malformed'
  | 'store_version'

/** One of them. */
export interface BackupFault {
  readonly code: FaultCode
  /** In a sentence, for the operator. */
  readonly text: string
}

/** More are counted, and not told. */
const MOST = 20

/** The faults that were found so far. */
export class FaultList {
  readonly #faults: BackupFault[] = []
  #count = 0

  /** All that were found. */
  get count(): number {
    return this.#count
  }

  /** The first of them. */
  get first(): readonly BackupFault[] {
    return this.#faults
  }

  add(code: FaultCode, text: string): void {
    this.#count++
    if (this.#faults.length < MOST) this.#faults.push({ code, text })
  }
}

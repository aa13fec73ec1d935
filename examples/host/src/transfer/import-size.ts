import { type FoundRecord, TransferError } from '@svc/platform'
import { BOUNDED_BYTES, COUNTED_KINDS } from '../quota/counted-kinds.ts'

const COUNTED: ReadonlySet<string> = new Set(COUNTED_KINDS)

/** Whether an export fits into the quota that it has here. @see operation.md 4.3.6 */
export class ImportSize {
  #bytes = BOUNDED_BYTES
  #quota: number

  /** @param everybody - bytes of each instance that has no quota of its own; 0: no limit */
  constructor(everybody: number) {
    this.#quota = everybody
  }

  examine({ key, kind, value }: Omit<FoundRecord, 'revision'>): void {
    if (COUNTED.has(kind)) {
      this.#bytes += Buffer.byteLength(key) + Buffer.byteLength(JSON.stringify(value))
    }
    if (kind !== 'instance') return
    // As its schema has it.
    const { settings } = value as { readonly settings: { readonly diskQuota?: number } }
    this.#quota = settings.diskQuota ?? this.#quota
  }

  /** @throws TransferError `import_refused` */
  check(): void {
    if (this.#quota === 0 || this.#bytes <= this.#quota) return
    throw new TransferError('import_refused', {
      description: `It keeps ${this.#bytes} bytes, and may keep ${this.#quota} here. Raise SVC_LIMITS_DISK, or its own quota where it comes from.`,
    })
  }
}

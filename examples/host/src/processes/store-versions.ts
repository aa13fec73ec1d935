import type { ProcessRecord } from './process-record.ts'

/** The versions of the store that this server reads, and the one that it writes. @see operation.md 5.1 */
export const STORE_VERSIONS: Pick<ProcessRecord, 'reads' | 'writes'> = { reads: [1, 1], writes: 1 }

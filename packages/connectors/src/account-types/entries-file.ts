import { readFile, stat } from 'node:fs/promises'
import type { AccountTypeEntry, AccountTypeFault } from './account-type.ts'
import { AccountTypeError } from './account-type-error.ts'

export type Entries = ReadonlyMap<string, AccountTypeEntry>

/** A fault of the file. */
export interface FileFault extends AccountTypeFault {
  /** Place of the entry in the array; absent: the file as a whole is wrong. */
  readonly index?: number
}

const MAX_FILE_BYTES = 16_777_216

/** The file cannot be taken over. */
export class EntriesFileError extends Error {
  override readonly name: string = 'EntriesFileError'
  readonly faults: readonly FileFault[]

  constructor(faults: readonly FileFault[]) {
    super('the file of account types has faults')
    this.faults = faults
  }
}

/**
 * @param admit - checks an entry
 * @returns the entries by their ids, in that order
 * @throws EntriesFileError with the faults of all entries
 */
export async function readEntries(
  file: string,
  admit: (value: unknown) => Promise<AccountTypeEntry>,
): Promise<Entries> {
  const values = parseArray(await readText(file))
  const entries = new Map<string, AccountTypeEntry>()
  const faults: FileFault[] = []
  for (const [index, value] of values.entries()) {
    try {
      const entry = await admit(value)
      if (entries.has(entry._id)) faults.push({ index, field: '_id', reason: 'is there twice' })
      entries.set(entry._id, entry)
    } catch (error) {
      if (!(error instanceof AccountTypeError)) throw error
      faults.push(...error.faults.map((fault) => ({ index, ...fault })))
    }
  }
  if (faults.length > 0) throw new EntriesFileError(faults)
  return new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
}

async function readText(file: string): Promise<string> {
  const { size } = await stat(file)
  if (size > MAX_FILE_BYTES) throw new EntriesFileError([{ field: '', reason: 'is too large' }])
  return readFile(file, 'utf8')
}

/** The message of `JSON.parse` quotes the text: it goes nowhere. */
function parseArray(text: string): readonly unknown[] {
  let values: unknown
  try {
    values = JSON.parse(text)
  } catch {
    throw new EntriesFileError([{ field: '', reason: 'is not JSON' }])
  }
  if (!Array.isArray(values))
    throw new EntriesFileError([{ field: '', reason: 'must be an array' }])
  return values
}

import { readFile, stat } from 'node:fs/promises'
import { ConnectorError } from '../connector-error.ts'
import { ACCOUNT_TYPES_FILE_OPTIONS, type AccountTypesFileOptions } from './account-type-options.ts'
import { MAX_OF_SLUG } from './account-type-record.ts'
import {
  type AccountTypeEntry,
  type AccountTypeFault,
  accountTypeId,
  type AccountTypes,
  isAccountTypeName,
  parseAccountTypeId,
} from './account-type.ts'
import { AccountTypeError, admitEntry } from './entry-gate.ts'
import { createEntryReader } from './entry-reader.ts'
import { guardEntry, maskEntry } from './secrets.ts'

/** Account types of a file. Writing them answers `forbidden`. */
export interface AccountTypesFile extends AccountTypes {
  /**
   * Reads the file now, for a start and for SIGHUP. What was read before stays when something is wrong, and every fault
   * is in the log.
   * @returns whether the file was taken over
   */
  reload(): Promise<boolean>
}

/** How old the last look at the file may be. Milliseconds. */
const TRUST_MS = 1000

/**
 * Account types of a file that something else writes. Looked at once a second at most, and read again when it changed.
 * @throws TypeError listing every fault of the options with its path
 * @see connectors.md 3.1, 3.2 (2)
 */
export function accountTypesFromFile(options: AccountTypesFileOptions): AccountTypesFile {
  const settled = ACCOUNT_TYPES_FILE_OPTIONS.settle(options)
  const { file, clock, log } = settled
  const reader = createEntryReader({ log })
  let entries: Entries | undefined
  let mark: string | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined
  let reading: Promise<boolean> = Promise.resolve(true)

  async function read(): Promise<boolean> {
    lookedAt = clock.now()
    mark = undefined
    try {
      // Noted before it is read: a change in between is seen the next time.
      const now = await markOf(file)
      mark = now
      entries = await readEntries(file, (value) => admitEntry(settled, value))
      log.info('account_types.loaded', { count: entries.size })
      return true
    } catch (error) {
      const isFault = error instanceof EntriesFileError
      // What kept the entries from being checked may be over the next time.
      if (!isFault) mark = undefined
      const faults = isFault ? error.faults : [{ field: '', reason: reasonOf(error) }]
      log.error('account_types.file_refused', { faults, isKept: entries !== undefined })
      return false
    }
  }

  /** One reading after the other, so that the last one counts. */
  function reload(): Promise<boolean> {
    reading = reading.then(read)
    return reading
  }

  async function look(): Promise<void> {
    lookedAt = clock.now()
    const now = await markOf(file).catch(() => undefined)
    if (entries === undefined || now !== mark) await reload()
  }

  async function current(): Promise<Entries> {
    const age = clock.now() - lookedAt
    if (looking === undefined && (age >= TRUST_MS || age < 0)) {
      looking = look().finally(() => {
        looking = undefined
      })
    }
    await looking
    // An error never means that there is no such type.
    if (entries === undefined) throw new Error('the file of account types cannot be used')
    return entries
  }

  function refuse(): never {
    throw new ConnectorError('forbidden', { description: 'account types come from a file' })
  }

  return {
    reload,
    async get(name, context) {
      const known = await current()
      if (!isAccountTypeName(name)) return undefined
      const own = context === undefined ? undefined : known.get(accountTypeId(name, context))
      const entry = own ?? known.get(name)
      return entry && reader.read(entry._id, entry)
    },
    async getRaw(id) {
      const entry = (await current()).get(id)
      return entry && guardEntry(entry)
    },
    async findBySlug(slug, context) {
      const known = await current()
      const ofSlug = [...known.values()].filter((entry) => entry.slug === slug)
      const inContext = (entry: AccountTypeEntry, wanted: string | undefined): boolean =>
        parseAccountTypeId(entry._id)?.context === wanted
      const isReplaced = ({ _id: id }: AccountTypeEntry): boolean =>
        context !== undefined && known.has(accountTypeId(id, context))
      const own = context === undefined ? [] : ofSlug.filter((entry) => inContext(entry, context))
      const global = ofSlug.filter((entry) => inContext(entry, undefined) && !isReplaced(entry))
      return [...own, ...global].slice(0, MAX_OF_SLUG).map((entry) => reader.read(entry._id, entry))
    },
    put: async () => refuse(),
    delete: async () => refuse(),
    list: async () => [...(await current()).values()].map(maskEntry),
  }
}

/** Changes whenever the file does. */
async function markOf(file: string): Promise<string> {
  const { mtimeNs, size, ino } = await stat(file, { bigint: true })
  return `${ino}:${size}:${mtimeNs}`
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? `cannot be read: ${code}` : 'cannot be read'
}

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

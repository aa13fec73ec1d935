import {
  bringForward,
  compiledSchema,
  type FoundRecord,
  MalformedRecordError,
  openMember,
  type RecordKind,
  SealedValueError,
  sealedMembers,
  type Sealer,
} from '@svc/platform'
import type { FaultList } from './backup-fault.ts'

/** The schema that every kind's record is held against, whatever types its members share. */
const SCHEMA_OPTIONS = { strict: false } as const

/**
 * Holds records against what is declared of their kinds: the schema, and that the keyring opens what is sealed in them.
 * A key that is missing, or another of that name, is one fault, not one for each value.
 */
export function createRecordCheck(
  sealer: Sealer,
  kids: ReadonlySet<string>,
  faults: FaultList,
): (record: FoundRecord, kind: RecordKind | undefined) => void {
  const told = new Set<string>()
  const once = (name: string, tell: () => void): void => {
    if (!told.has(name)) tell()
    told.add(name)
  }

  function checkSealed(kind: RecordKind, record: FoundRecord): void {
    for (const member of sealedMembers(kind, record)) {
      try {
        openMember(sealer, member)
      } catch (error) {
        if (!(error instanceof SealedValueError)) throw error
        const { kid } = error
        if (member.provesKey && isEmpty(record)) continue
        if (kid !== undefined && !kids.has(kid)) {
          once(`missing ${kid}`, () =>
            faults.add(
              'key_missing',
              `It holds values sealed with the key "${kid}", which is not among the sealing keys.`,
            ),
          )
        } else if (member.provesKey) {
          once(`wrong ${kid}`, () =>
            faults.add(
              'key_wrong',
              `"${kid}" among the sealing keys is not the key that the store was sealed with.`,
            ),
          )
        } else {
          const path = member.path.join('.')
          faults.add(
            'not_opened',
            `${nameOf(record)}: ${path} does not open with the key "${kid}".`,
          )
        }
      }
    }
  }

  return (record, kind) => {
    if (kind === undefined) {
      once(`kind ${record.kind}`, () =>
        faults.add(
          'kind_unknown',
          `It holds records of the kind ${record.kind}, which nobody knows.`,
        ),
      )
      return
    }
    try {
      const value = bringForward(kind, record.value)
      const check = compiledSchema(kind.schema, SCHEMA_OPTIONS)
      if (!check(withoutVersion(value))) {
        const [error] = check.errors ?? []
        const where = error?.instancePath === '' ? 'it' : error?.instancePath
        faults.add('record_malformed', `${nameOf(record)}: ${where} ${error?.message}.`)
        return
      }
    } catch (error) {
      if (!(error instanceof MalformedRecordError)) throw error
      faults.add('kind_version', `${nameOf(record)}: ${error.message}.`)
      return
    }
    checkSealed(kind, record)
  }
}

/** Every schema is that of a value without its version. */
function withoutVersion(value: FoundRecord['value']): FoundRecord['value'] {
  if (value === null || typeof value !== 'object' || Array.isArray(value) || !('v' in value)) {
    return value
  }
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'v'))
}

function isEmpty({ value }: FoundRecord): boolean {
  return (value as { readonly state?: unknown } | null)?.state === 'empty'
}

function nameOf({ tag, kind, id }: FoundRecord): string {
  return `${kind} ${id} of ${tag}`
}

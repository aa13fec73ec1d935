import type { RecordKind } from '../../src/index.ts'

/** A kind of an embedder: of each instance, under a known id unless it is said. */
export function recordKind(kind: string, fields: Partial<RecordKind> = {}): RecordKind {
  return {
    kind,
    version: 1,
    schema: {},
    tags: 'instance',
    places: { by: 'ids', ids: ['one'] },
    life: 'for good',
    export: 'yes',
    content: 'of a library',
    ...fields,
  }
}

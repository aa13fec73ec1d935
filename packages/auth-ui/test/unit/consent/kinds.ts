import { readCatalogues } from '../../../src/messages.ts'

const named = Object.keys(readCatalogues().get('en') ?? {}).filter((key) =>
  key.startsWith('doctype.'),
)

/** Every kind that has words, and some that have none. */
export const KINDS: readonly string[] = [
  ...named.map((key) => key.replace('doctype.', 'io.svc.')),
  'io.svc.bank.*',
  'com.example.recipes',
  'com.example.rides',
  'io.svc.unheard',
]

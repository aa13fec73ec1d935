import type { AccountType } from '../../src/account-types/account-type.ts'
import { createEntryReader } from '../../src/account-types/entry-reader.ts'
import { recordedLog } from './recorded-log.ts'

/** An account type that works, as the rest of the package sees it. */
export function sampleType(fields: Partial<AccountType> = {}): AccountType {
  const { read } = createEntryReader({ log: recordedLog() })
  const type = read('bank', {
    _id: 'bank',
    slug: 'bank',
    grant_mode: 'authorization_code',
    client_id: 'client-1',
    client_secret: 'secret-1',
    auth_endpoint: 'https://provider.example/authorize',
    token_endpoint: 'https://provider.example/token',
  })
  return { ...type, ...fields }
}

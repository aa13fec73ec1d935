import { compiledSchema, type Instance, randomHex } from '@svc/platform'
import { hasTokenEndpoint, isAccountTypeName } from '../account-types/account-type.ts'
import { ConnectorError } from '../connector-error.ts'
import type { AccountImport } from '../connectors.ts'
import type { ConnectorsServices } from '../services.ts'
import { type AccountDocument, toInstant } from './account.ts'
import { BY_OPERATOR, noteAccount } from './account-activity.ts'
import { accountEvent, notifySubscribers } from './account-changes.ts'
import { sealValue } from './account-seal.ts'
import { planRefresh } from './refresh-plan.ts'
import { NO_STATE } from './refresh-state.ts'
import { noteAccountOfType } from './type-health.ts'

const TOKEN = { type: 'string', pattern: '^[\\x20-\\x7e]+$', minLength: 1, maxLength: 16_384 }

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['accountType', 'refreshToken'],
  properties: {
    accountType: { type: 'string', maxLength: 100 },
    refreshToken: TOKEN,
    accessToken: TOKEN,
    // The last instant that a date can be of.
    expiresAt: { type: 'integer', minimum: 0, maximum: 8_640_000_000_000_000 },
    scope: { type: 'string', maxLength: 4096 },
    name: { type: 'string', maxLength: 200 },
  },
} as const

/**
 * Takes credentials over that came about somewhere else.
 * @throws ConnectorError `account_type_not_found`, `account_type_misconfigured`, `invalid_request`
 * @see connectors.md K2, decision D38
 */
export async function importAccount(
  services: ConnectorsServices,
  instance: Instance,
  input: AccountImport,
): Promise<AccountDocument> {
  const { accountTypes, accounts, clock, emit, log } = services
  const isImport = compiledSchema<AccountImport>(SCHEMA)
  if (!isImport(input)) {
    const [fault] = isImport.errors ?? []
    const description = `${fault?.instancePath.slice(1) || 'the input'} ${fault?.message ?? ''}`
    throw new ConnectorError('invalid_request', { description })
  }
  const { accountType, refreshToken, accessToken, expiresAt, scope = '', name = '' } = input
  const type = isAccountTypeName(accountType)
    ? await accountTypes.get(accountType, instance.context)
    : undefined
  if (type === undefined) throw new ConnectorError('account_type_not_found')
  if (type.fault !== undefined || !hasTokenEndpoint(type)) {
    throw new ConnectorError('account_type_misconfigured')
  }
  if (type.grantMode !== 'refresh_token') {
    const description = 'accounts of this type are connected by their owners'
    throw new ConnectorError('invalid_request', { description })
  }
  const accountId = randomHex(16)
  const sealed = (field: string, plain: string) =>
    sealValue(services, { instance, accountId, field }, plain)
  const draft = {
    _id: accountId,
    account_type: type.name,
    name,
    oauth: {
      ...(accessToken !== undefined && {
        access_token_encrypted: sealed('oauth.access_token', accessToken),
        token_type: 'Bearer',
      }),
      refresh_token_encrypted: sealed('oauth.refresh_token', refreshToken),
      ...(expiresAt !== undefined && { expires_at: toInstant(expiresAt) }),
      ...(scope !== '' && { scope }),
      status: 'connected',
      refresh_seq: 0,
      refreshed_at: toInstant(clock.now()),
    },
  } as const
  await planRefresh(services, instance, { account: { ...draft, _rev: '' }, state: NO_STATE }, type)
  const note = noteAccount(services, instance, draft, BY_OPERATOR, 'account.connected')
  const account = await accounts.create(instance, draft, note)
  await noteAccountOfType(services, { typeId: type.id, instance, accountId })
  notifySubscribers(services, instance, 'CREATED', account)
  emit('account.connected', { ...accountEvent(instance, account), how: 'import' })
  log.info('account.connected', {
    domain: instance.domain,
    accountId,
    type: type.name,
    how: 'import',
  })
  return account
}

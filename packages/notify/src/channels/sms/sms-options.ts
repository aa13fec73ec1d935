import type { SmsOptions, SmsProvider } from '../../options.ts'

const PROVIDERS: readonly string[] = ['api_sen', 'http']
const OVERFLOWS: readonly string[] = ['truncate', 'fallback', 'split']
/** Room for the dots and something before them. */
const MIN_LENGTH = 10

/** What is wrong with the options of texts, each with its path. */
export function smsFaults(sms: SmsOptions): string[] {
  const path = 'options.channels.sms'
  const rows: (readonly [string, SmsProvider])[] = [
    ...(sms.default === undefined ? [] : [[`${path}.default`, sms.default] as const]),
    ...Object.entries(sms.contexts ?? {}).map(
      ([name, provider]) => [`${path}.contexts.${name}`, provider] as const,
    ),
  ]
  const faults = rows.flatMap(([place, provider]) =>
    providerFaults(provider).map((fault) => `${place}.${fault}`),
  )
  if (sms.gateway !== undefined && typeof sms.gateway.send !== 'function') {
    faults.push(`${path}.gateway: has no send()`)
  }
  return faults
}

function providerFaults(row: SmsProvider): string[] {
  const { maxLength = MIN_LENGTH, overflow = 'truncate', fields = {} } = row
  const url = URL.parse(row.url)
  const checks: [boolean, string][] = [
    [PROVIDERS.includes(row.provider), `provider: is none of ${PROVIDERS.join(', ')}`],
    [/^https?:$/.test(url?.protocol ?? ''), 'url: is no http address'],
    [/^[\u0021-\u007e]+$/.test(row.token), 'token: is empty, or has characters no header takes'],
    [
      Number.isInteger(maxLength) && maxLength >= MIN_LENGTH,
      `maxLength: is less than ${MIN_LENGTH}`,
    ],
    [OVERFLOWS.includes(overflow), `overflow: is none of ${OVERFLOWS.join(', ')}`],
    [Object.values(fields).every((name) => name !== ''), 'fields: a name is empty'],
  ]
  return checks.flatMap(([isRight, fault]) => (isRight ? [] : [fault]))
}

/** The provider of the instance's context, else the default one. */
export function providerFor(
  { contexts = {}, default: fallback }: SmsOptions,
  context: string | undefined,
): SmsProvider | undefined {
  return context !== undefined && Object.hasOwn(contexts, context) ? contexts[context] : fallback
}

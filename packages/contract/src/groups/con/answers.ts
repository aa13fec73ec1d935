import type { Finding } from '../../model/check.ts'
import type { Answered, Evidence } from '../../model/evidence.ts'
import { allOf, expectStatus, locationOf, parameterOf } from '../../model/expect.ts'

/** Leads to the app with this error, and with nothing of the provider. */
export function expectAppError(exchange: Answered, ...errors: readonly string[]): Finding {
  const location = locationOf(exchange)
  const error = parameterOf(location, 'error') ?? 'none'
  return allOf(
    expectStatus(exchange, 302, 303),
    errors.includes(error) ? undefined : `${exchange.label}: error is ${error}`,
    parameterOf(location, 'state') === 'state of the app'
      ? undefined
      : `${exchange.label}: the state of the app is missing`,
    parameterOf(location, 'account') === undefined
      ? undefined
      : `${exchange.label}: there is an account`,
  )
}

export function sentTo(e: Evidence, label: string): URLSearchParams {
  return new URLSearchParams(e.of(label).request.body ?? '')
}

/** The exchange with the provider that this grant asked for. */
export function asked(e: Evidence, grant: string): Answered | undefined {
  return e
    .all('con.provider.token')
    .findLast(({ request }) => new URLSearchParams(request.body ?? '').get('grant_type') === grant)
}

/** What every check of accounts needs. */
export const CHECKS = {
  needs: ['pages', 'apps', 'connectors', 'fresh', 'provider'],
} as const

import type { Instance } from '@svc/platform'
import { OptionsError } from '@svc/platform/options'
import type { ClientMetadata } from '../clients/client.ts'

/** What an assembled package lends to tests. */
export interface TestAccess {
  /** Registers a client as if it had asked for it. @returns its identifier */
  register(instance: Instance, metadata: ClientMetadata): Promise<string>
  /** Allows it the scope as if the owner had. @throws OAuthError `invalid_scope` */
  issueToken(instance: Instance, clientId: string, scope: string): Promise<string>
}

const lent = new WeakMap<object, TestAccess>()

/** For `createOAuth({ testing: true })` alone. */
export function lendToTests(oauth: object, access: TestAccess): void {
  lent.set(oauth, access)
}

/** @throws OptionsError unless the package was made for tests, and the domain is at or below `localhost` */
export function testAccess(oauth: object, domain: string): TestAccess {
  const access = lent.get(oauth)
  if (access === undefined) {
    throw fault('must be true for this', 'Tests pass createOAuth({ testing: true })')
  }
  if (!/^(?:[^:]+\.)?localhost(?::\d+)?$/.test(domain)) {
    throw fault(`only for domains at or below localhost, and this one is ${domain}`)
  }
  return access
}

function fault(problem: string, hint?: string): OptionsError {
  return new OptionsError([
    { path: 'options.testing', problem, ...(hint !== undefined && { hint }) },
  ])
}

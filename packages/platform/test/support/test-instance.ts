import type { Instance, InstanceId } from '../../src/instances/instance.ts'
import { randomId } from '../../src/secrets.ts'

/** An instance that exists only as a record. */
export function testInstance(
  domain = 'alice.example.com',
  fields: Partial<Instance> = {},
): Instance {
  return {
    id: randomId() as InstanceId, // A random id, as instances have.
    revision: '' as Instance['revision'], // Not looked at here.
    domain,
    aliases: [],
    locale: 'en',
    status: 'active',
    settings: {},
    createdAt: 0,
    updatedAt: 0,
    origin: `https://${domain}`,
    isHttps: true,
    subdomains: 'nested',
    ...fields,
  }
}

import type { Instance, InstanceId } from '@svc/platform'

/** An instance as the mailer gets it. */
export function sampleInstance(changes: Partial<Instance> = {}): Instance {
  return {
    id: 'sample' as InstanceId,
    revision: '1' as Instance['revision'],
    domain: 'alice.example.com',
    aliases: [],
    locale: 'en',
    email: 'alice@mail.example',
    publicName: 'Alice',
    status: 'active',
    settings: {},
    createdAt: 0,
    updatedAt: 0,
    origin: 'https://alice.example.com',
    isHttps: true,
    subdomains: 'nested',
    ...changes,
  }
}

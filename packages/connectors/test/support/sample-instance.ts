import type { Instance } from '@svc/platform'

/** An instance as `resolveInstance` finds it. */
export function sampleInstance(fields: Partial<Instance> = {}): Instance {
  const instance = {
    id: 'instance',
    domain: 'alice.example.com',
    aliases: [],
    locale: 'en',
    status: 'active',
    settings: {},
    createdAt: 0,
    updatedAt: 0,
    revision: 'r',
    origin: 'https://alice.example.com',
    isHttps: true,
    subdomains: 'nested',
    ...fields,
  }
  // Branded ids and revisions are texts.
  return instance as Instance
}

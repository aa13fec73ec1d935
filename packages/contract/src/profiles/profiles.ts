import type { Capability } from '../model/check.ts'
import type { Profile } from '../model/profile.ts'

const OWNER: readonly Capability[] = ['owner', 'pages', 'management', 'revocation']

const SEED: Profile = {
  name: 'seed',
  levels: { rfc: 'must', seed: 'must', clients: 'should' },
  has: [...OWNER, 'apps', 'confirmation', 'notifications', 'realtime', 'resource'],
  namespace: 'io.svc',
  tokenAttribute: 'data-svc-token',
  apps: { home: 'home', settings: 'settings' },
  resource: {
    path: '/data/io.svc.contacts',
    scope: 'io.svc.contacts:GET',
    other: 'io.svc.files:GET',
  },
  subdomains: 'nested',
}

const SVC: Profile = {
  ...SEED,
  name: 'svc',
  levels: { rfc: 'must', seed: 'must', clients: 'must', product: 'must' },
  has: [...SEED.has, 'assistants', 'certification', 'connectors', 'sharing'],
}

const EMBEDDED: Profile = {
  ...SVC,
  name: 'embedded',
  has: [...OWNER, 'apps', 'confirmation', 'certification'],
}

const CORE_OAUTH: Profile = {
  name: 'core-oauth',
  levels: { rfc: 'must' },
  has: ['owner', 'management', 'revocation'],
  groups: ['MET', 'REG', 'MGT', 'AUT', 'PKC', 'TOK', 'REF', 'REV', 'BEA', 'BCP'],
  namespace: 'org.example',
  tokenAttribute: 'data-token',
  subdomains: 'nested',
}

/** The profiles that have a name. */
export const PROFILES: readonly Profile[] = [SEED, SVC, EMBEDDED, CORE_OAUTH]

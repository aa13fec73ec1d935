export type {
  PlainAnswer,
  Provider,
  ProviderEndpoint,
  ProviderOptions,
  ProviderPages,
  ScriptedAnswer,
} from './provider.ts'
export type { IssuedTokens, LiveGrant, ProviderGrants } from './provider-grants.ts'
export type { ProviderRequest } from './provider-requests.ts'
export { openProvider } from './provider-server.ts'

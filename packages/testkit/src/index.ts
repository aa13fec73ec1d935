export { type AssistantClient, AssistantMemory, newSdk, oldSdk } from './assistant-client.ts'
export { type AxeOptions, axeFaults } from './axe-faults.ts'
export {
  type BrowserClient,
  type BrowserClientOptions,
  browserClient,
  type FormFields,
  type RequestOptions,
} from './browser-client.ts'
export type { BrowserResponse } from './browser-response.ts'
export { cpuMs } from './cpu-time.ts'
export { type FakeClock, fakeClock } from './fake-clock.ts'
export type { Initiator } from './fetch-metadata.ts'
export { freePort } from '@svc/store/testing'
export { firstPageFaults, onboardInBrowser } from './first-pages.ts'
export { frenchFaults } from './french.ts'
export { createGate, type Gate } from './gate.ts'
export { attributeOf, type HtmlElement, textOf } from './html-element.ts'
export type { HtmlForm, SubmitButton } from './html-form.ts'
export { type Listening, listen, type Servable } from './listen.ts'
export { type LoopbackFetch, loopbackFetch } from './loopback-fetch.ts'
export {
  type LoopbackMap,
  type RawRequest,
  type RawResponse,
  requestLoopback,
} from './loopback-request.ts'
export { type Mailbox, type MailboxOptions, openMailbox, type ReceivedMail } from './mailbox.ts'
export { type Page, parsePage } from './page.ts'
export {
  choosePassphrase,
  type MountedExample,
  runContract,
  startExample,
} from './mounted-example.ts'
export {
  type IssuedTokens,
  openProvider,
  type PlainAnswer,
  type Provider,
  type ProviderEndpoint,
  type ProviderGrants,
  type ProviderOptions,
  type ProviderRequest,
  type ScriptedAnswer,
} from './provider/index.ts'
export {
  type AuthorizeOptions,
  type PendingAuthorization,
  type RegisteredClient,
  type RelyingParty,
  type RelyingPartyOptions,
  relyingParty,
} from './relying-party.ts'
export { parseSetCookie, type SetCookie } from './set-cookie.ts'
export { skipUnless, type Skippable } from './skip-unless.ts'
export { needsLoopbackAddresses } from './loopback-addresses.ts'
export {
  chromiumPath,
  type ChromiumOptions,
  launchChromium,
  needsChromium,
  takeShot,
} from './browser.ts'
export { afterTest } from './after-test.ts'
export {
  anyStore,
  eachStore,
  isSecondLevel,
  needsRedis,
  type OpenStore,
  type OpenStoreOptions,
  redisPatience,
} from './stores.ts'
export {
  installCommands,
  installPackages,
  type PackedPackage,
  packPackages,
  pnpmSettings,
  publicPackages,
  sharedPackages,
} from './packed-packages.ts'
export { type DeclaredRoute, recordStatuses, type RouteStatuses } from './route-statuses.ts'
export { scaledLimit, timeBudget } from './time-budget.ts'
export { until, type UntilOptions } from './until.ts'
export { useBuilt } from './use-built.ts'
export { hasVerb, longSentences, wordFaults } from './words.ts'
export { addAuthenticator, type VirtualAuthenticator } from './virtual-authenticator.ts'

/**
 * What a reader has around the lines of an example: names that the lines take as they are. It is compiled with the
 * examples, against the packed packages.
 */
import type { AuthUi, AuthUiOptions, UiSessions } from '@svc/auth-ui'
import type { Connectors } from '@svc/connectors'
import type { Report } from '@svc/contract'
import type { McpOptions } from '@svc/mcp'
import type { Notify, NotifyOptions } from '@svc/notify'
import type { AuthorizePages, OAuth, OAuthOptions } from '@svc/oauth-core'
import type {
  HandlerOptions,
  Instance,
  KeyCounts,
  KeyStatus,
  OwnPlatform,
  ParseMessage,
  PlatformLog,
  Route,
} from '@svc/platform'
import type { Realtime } from '@svc/realtime'
import type { Change, Clock, Store } from '@svc/store'
import type * as fs from 'node:fs'
import type * as http from 'node:http'
import type Koa from 'koa'
import type { Middleware as KoaMiddleware } from 'koa'

declare global {
  // What the packages make.
  const oauth: OAuth
  const ui: AuthUi
  const notify: Notify
  const realtime: Realtime
  const connectors: Connectors
  const platform: OwnPlatform
  const store: Store
  const report: Report
  const status: KeyStatus
  const counts: KeyCounts

  // What they are given.
  const keys: OAuthOptions['keys']
  const key: Uint8Array<ArrayBuffer>
  const apps: NonNullable<OAuthOptions['apps']>
  const sessions: UiSessions
  const mailer: AuthUiOptions['mailer']
  const events: NonNullable<AuthUiOptions['events']>
  const channels: NotifyOptions['channels']
  const data: NonNullable<McpOptions['data']>
  const pages: AuthorizePages
  const routes: HandlerOptions['routes']
  const log: PlatformLog
  const clock: Clock
  const parse: ParseMessage
  const changes: readonly Change[]
  const greetingRoutes: readonly Route<{ readonly greeting: string }>[]
  function ownPages(of: AuthUi): AuthorizePages

  // The server of the reader, and one request.
  const app: Koa
  const server: http.Server
  const createServer: typeof http.createServer
  const createReadStream: typeof fs.createReadStream
  type Middleware = KoaMiddleware
  const ctx: Koa.Context
  const request: http.IncomingMessage
  const instance: Instance
  const error: unknown
  const address: string
  const metrics: { count(name: string): void }
  function addressOf(request: Request): string

  // Their configuration.
  const username: string
  const password: string
  const publicKey: string
  const privateKey: string
  const subject: string
  const token: string
  /** Of an authority. */
  const pem: string

  // What an app of the reader sends.
  const attestation: string
  const challenge: string
  const keyId: string

  // A runner of tests.
  function describe(name: string, define: () => void): void
  function it(name: string, test: () => Promise<void> | void): void
}

import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { Instance } from '@svc/platform'
import type { Store } from '@svc/store'
import { redisStore } from '@svc/store/redis'
import { quantile } from './figure.ts'
import { bearerContext } from './servers/bearer-context.ts'
import { obtainToken, startEmbedded } from './servers/embedded.ts'

/** What the harness asks this process. */
export type CutRequest =
  /** Answers as many tokens, each of a client of its own. */
  | { readonly ask: 'tokens'; readonly host: string; readonly count: number }
  /** Calls with the token until it is refused. Answers when the call began that was. */
  | { readonly ask: 'watch'; readonly host: string; readonly token: string }
  /** Ends the client of the token as the settings do. Answers when that was done. */
  | { readonly ask: 'cut'; readonly host: string; readonly clientId: string }
  /** Checks at full speed. Answers what the slowest hundredth of them took at least, milliseconds. */
  | { readonly ask: 'cost'; readonly host: string; readonly tokens: readonly string[] }

/** On the one clock that all processes of a machine share. Nanoseconds. */
export interface Moment {
  readonly at: bigint
}

const PATIENCE_MS = 10_000
const CALLS = 100_000
/** Checks between two turns of the event loop. */
const BATCH = 50

// The package in a process of its own: `cut-server.ts <redis url> [mute]`; a mute one tells other processes nothing.
const [url = '', mute] = process.argv.slice(2)
const redis = redisStore({ url })
const server = await startEmbedded(mute === 'mute' ? withoutMessages(redis) : redis)
const { oauth, koa } = server

process.on('message', (request: CutRequest) => {
  answer(request).then(
    (value) => process.send?.(value),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.once('disconnect', () => process.exit())
process.send?.({})

async function answer(request: CutRequest): Promise<unknown> {
  const { host } = request
  const known = await oauth.instances.byHost(host)
  const instance = known ?? (await oauth.instances.create({ domain: host }))
  if (request.ask === 'tokens') return tokensOf(host, request.count)
  if (request.ask === 'watch') return watch(instance, request.token)
  if (request.ask === 'cut') return cut(instance, request.clientId)
  return cost(instance, request.tokens)
}

async function tokensOf(host: string, count: number): Promise<readonly string[]> {
  const tokens: string[] = []
  for (let i = 0; i < count; i += 1) tokens.push(await obtainToken(server, host))
  return tokens
}

async function watch(instance: Instance, token: string): Promise<Moment> {
  const ctx = bearerContext(koa, instance, token)
  const deadline = performance.now() + PATIENCE_MS
  while (performance.now() < deadline) {
    const startedAt = process.hrtime.bigint()
    const isRefused = await oauth.authenticate(ctx).then(
      () => false,
      () => true,
    )
    if (isRefused) return { at: startedAt }
    await sleep(1)
  }
  throw new Error('the token is still good')
}

async function cut(instance: Instance, clientId: string): Promise<Moment> {
  if (!(await oauth.clients.revoke(instance, clientId, 'bench'))) throw new Error('no such client')
  return { at: process.hrtime.bigint() }
}

async function cost(
  instance: Instance,
  tokens: readonly string[],
): Promise<{ readonly p99: number }> {
  const contexts = tokens.map((token) => bearerContext(koa, instance, token))
  const taken: number[] = []
  while (taken.length < CALLS) {
    for (let i = 0; i < BATCH; i += 1) {
      const ctx = contexts[taken.length % contexts.length]
      if (ctx === undefined) throw new Error('no tokens')
      const startedAt = performance.now()
      await oauth.authenticate(ctx)
      taken.push(performance.now() - startedAt)
    }
    await turn()
  }
  return { p99: quantile(taken, 0.99) }
}

/** A store whose messages are lost: what is left is that records are looked at again. */
function withoutMessages(store: Store): Store {
  const bus = { ...store.bus, publish: async (): Promise<void> => {} }
  return new Proxy(store, {
    get(target, name): unknown {
      if (name === 'bus') return bus
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

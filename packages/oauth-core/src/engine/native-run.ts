import compose from 'koa-compose'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { NativeContext, type NativeRequest } from './native-context.ts'

export interface NativeAnswer {
  readonly status: number
  readonly body: Record<string, unknown> | undefined
  /** What the engine worked with. */
  readonly entities: KoaContextWithOIDC['oidc']['entities']
}

/** Runs one of the native routes. */
export type NativeRun = (request: NativeRequest) => Promise<NativeAnswer>

/** @param provider - the engine, whose middleware is run by itself, without its server */
export function createNativeRun(provider: Provider): NativeRun {
  const run = compose(provider.middleware)

  return async function runNative(request) {
    const context = new NativeContext(request)
    // All that the routes in use ask of a Koa context.
    const ctx = context as unknown as KoaContextWithOIDC
    await run(ctx, done)
    return {
      status: context.status,
      // The routes that run answer JSON objects or nothing.
      body: context.body as Record<string, unknown> | undefined,
      entities: ctx.oidc.entities,
    }
  }
}

async function done(): Promise<void> {}

import { LRUCache } from 'lru-cache'
import { type Configuration, Provider } from 'oidc-provider'
import type { Instance } from '@svc/platform'
import { tuneProvider } from './internals.ts'
import { createNativeRun, type NativeRun } from './native-run.ts'
import type { Units } from './unit-of-work.ts'

/** An instance's engine. */
export interface NativeEngine {
  readonly provider: Provider
  readonly run: NativeRun
}

export interface ProviderCacheOptions {
  readonly configuration: () => Configuration
  readonly units: Units
  /** How many are kept; one costs about 42 KiB, and 0.4 ms to build. */
  readonly size: number
}

/** Engine objects, built on demand and bounded in number: nothing grows with the number of instances (D7). */
export function createProviderCache(
  options: ProviderCacheOptions,
): (instance: Instance) => NativeEngine {
  const { configuration, units, size } = options
  const cache = new LRUCache<string, NativeEngine>({ max: size })

  function build(instance: Instance): NativeEngine {
    const provider = new Provider(instance.origin, configuration())
    tuneProvider(provider)
    // What goes wrong here is answered by our renderer, not in the engine's words.
    provider.on('server_error', (_ctx, error) => {
      units.current().failure ??= error
    })
    return { provider, run: createNativeRun(provider) }
  }

  return function providerOf(instance) {
    const key = `${instance.id} ${instance.origin}`
    let engine = cache.get(key)
    if (engine === undefined) {
      engine = build(instance)
      cache.set(key, engine)
    }
    return engine
  }
}

import tls, { type SecureContext } from 'node:tls'
import { parseNetworks } from './address-rules.ts'
import { createExchange } from './exchange.ts'
import {
  type Outbound,
  OUTBOUND_OPTIONS,
  type OutboundAnswer,
  type OutboundOptions,
  type OutboundRequest,
} from './outbound.ts'
import { isOutboundError, OutboundError } from './outbound-error.ts'
import { checkUrl, findTarget, type TargetRules } from './target.ts'

/**
 * Where every call to another server starts. Proxies of the environment are not used.
 * @throws TypeError listing every fault of the options with its path
 */
export function createOutbound(options: OutboundOptions = {}): Outbound {
  const { ca, connectMs, log, lookup, maxBytes, totalMs, trustedNetworks } =
    OUTBOUND_OPTIONS.settle(options)
  const rules: TargetRules = { trustedNetworks: parseNetworks(trustedNetworks), lookup }
  const exchange = createExchange(secureContextOf(ca))

  async function request(url: string | URL, wanted: OutboundRequest): Promise<OutboundAnswer> {
    wanted.signal?.throwIfAborted()
    const isTrusted = wanted.isTrusted ?? false
    const watch = watchTime(wanted.connectMs ?? connectMs, wanted.totalMs ?? totalMs, wanted.signal)
    try {
      const checked = checkUrl(url, isTrusted)
      const target = await watch.race(findTarget(checked, isTrusted, rules))
      return await exchange(target, wanted, {
        maxBytes: wanted.maxBytes ?? maxBytes,
        signal: watch.signal,
        onConnected: watch.connected,
      })
    } catch (error) {
      if (isOutboundError(error) && error.kind === 'refused') {
        log?.warn('outbound.refused', {
          rule: error.reason,
          host: URL.parse(String(url))?.hostname,
        })
      }
      throw error
    } finally {
      watch.stop()
    }
  }

  return { request }
}

interface Watch {
  /** Aborts with what the call is to reject with. */
  readonly signal: AbortSignal
  /** The connection stands: only the end of the whole counts from now on. */
  connected(): void
  /** Rejects when the time is over, for what cannot be stopped. */
  race<T>(work: Promise<T>): Promise<T>
  stop(): void
}

function watchTime(connectMs: number, totalMs: number, outer: AbortSignal | undefined): Watch {
  const controller = new AbortController()
  const { signal } = controller
  let isConnected = false
  const end = (reason: string): void =>
    controller.abort(new OutboundError('timeout', reason, { isSent: isConnected }))
  const connecting = setTimeout(end, connectMs, 'connect')
  const whole = setTimeout(end, totalMs, 'total')
  const abort = (): void => controller.abort(outer?.reason)
  outer?.addEventListener('abort', abort, { once: true })
  return {
    signal,
    connected: () => {
      isConnected = true
      clearTimeout(connecting)
    },
    race: (work) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        work.then(resolve, reject)
      }),
    stop: () => {
      clearTimeout(connecting)
      clearTimeout(whole)
      outer?.removeEventListener('abort', abort)
    },
  }
}

function secureContextOf(ca: readonly string[]): SecureContext {
  return tls.createSecureContext({
    minVersion: 'TLSv1.2',
    ...(ca.length > 0 && { ca: [...tls.getCACertificates('default'), ...ca] }),
  })
}

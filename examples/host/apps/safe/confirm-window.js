import { newState } from './_kit/confirmation.js'

/** Windows of this app hear each other here, and nobody else does. */
const CHANNEL = 'safe.confirmed'
const SIZE = 'popup,width=480,height=720'
/** Why a signal ends the waiting when another question takes its place. */
export const REPLACED = 'replaced'

/** Nobody waits any more: the owner gave up, or asked for something else. */
export class CancelledError extends Error {
  /** @param {boolean} isReplaced by another question */
  constructor(isReplaced) {
    super('cancelled')
    this.name = 'CancelledError'
    this.isReplaced = isReplaced
  }
}

/**
 * Lets the owner confirm in a window of its own. The instance tells over the websocket that it was confirmed, before
 * that window has even left the page; the code follows by the address that the window is led to. The page that waits
 * cannot look into the window: it is on another origin.
 *
 * @param {{
 *   api: ReturnType<typeof import('./_kit/api.js').createApi>
 *   realtime: ReturnType<typeof import('./_kit/realtime.js').createRealtime>
 *   namespace: string
 * }} parts
 * @param {{ onConfirmed: () => void, signal: AbortSignal }} waiting `onConfirmed`: when the websocket says so
 * @returns {Promise<{ code: string, state: string }> | undefined} undefined: the browser opened no window
 * @throws CancelledError
 */
export function confirmInWindow({ api, realtime, namespace }, { onConfirmed, signal }) {
  const state = newState()
  const query = new URLSearchParams({ state, redirect: `${location.origin}/confirmed.html` })
  const opened = window.open(`${api.origin}/auth/confirm?${query}`, '_blank', SIZE)
  if (opened === null) return undefined
  return new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(CHANNEL)
    const unsubscribe = realtime.subscribe(
      { type: `${namespace}.auth.confirmations`, id: state },
      (verb) => {
        if (verb === 'CREATED') onConfirmed()
      },
    )
    const stop = () => {
      unsubscribe()
      channel.close()
    }
    channel.addEventListener('message', ({ data }) => {
      const { code, state: answered } = /** @type {{ code: string, state: string }} */ (data)
      // Another window of this app may be asking something else.
      if (answered !== state) return
      stop()
      resolve({ code, state })
    })
    signal.addEventListener('abort', () => {
      stop()
      reject(new CancelledError(signal.reason === REPLACED))
    })
  })
}

/**
 * In the window that comes back: hands code and state over, and takes them out of the address.
 *
 * @returns {boolean} whether there was something to hand over
 */
export function handOver() {
  const { searchParams } = new URL(location.href)
  const code = searchParams.get('code')
  const state = searchParams.get('state')
  history.replaceState(null, '', location.pathname)
  if (code === null || state === null) return false
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage({ code, state })
  channel.close()
  return true
}

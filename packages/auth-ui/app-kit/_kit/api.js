/**
 * The instance's endpoints, called with the token that the host put into this page. A token lives a day and dies with
 * its session: after a 401 the page is fetched again for the one in it.
 */

/** @typedef {{ type: string, id: string, attributes: Record<string, unknown> }} Resource */

/** For what a page still reads when its session is ended. */
const LAST_READS_MS = 1000

/** Answers every page of any origin, without a preflight. */
const PUBLIC_PATH = '/.well-known/oauth-authorization-server'
/** The server answered, and browsers keep the answer from this page: it has no CORS headers. */
const UNREADABLE = -1

/** The server refused (its status), could not be reached (0), or its answer cannot be read here (-1). */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} [code] of the answer's JSON, empty when it has none
   * @param {number} [retryAfterS] of a 429
   */
  constructor(status, code = '', retryAfterS = 0) {
    super(`answered ${status} ${code}`)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.retryAfterS = retryAfterS
  }
}

/**
 * @param {HTMLElement} root the element with `data-svc-app`, where the host put token and origin
 * @param {{ repeatsWrites?: boolean }} [how] whether a write is sent again after its token was renewed; else it is
 *   refused as `token_renewed`, and the owner tries again
 */
export function createApi(root, { repeatsWrites = true } = {}) {
  const { svcOrigin: origin = '' } = root.dataset
  let token = root.dataset['svcToken'] ?? ''
  /** @type {Promise<string> | undefined} */
  let renewal
  /** @type {Set<(token: string) => void>} */
  const listeners = new Set()
  /** @type {Set<Promise<unknown>>} */
  const open = new Set()
  /**
   * While the session is being ended, and for good once it is: what is asked then would only be refused.
   *
   * @type {Promise<void> | undefined}
   */
  let leaving

  /** @param {string} method @param {string} path @param {unknown} [body] */
  const ask = (method, path, body) =>
    fetch(origin + path, {
      method,
      credentials: 'include',
      headers: {
        Accept: 'application/vnd.api+json, application/json',
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(async () => {
      // `fetch` fails in the same way without a connection and at an answer without CORS headers.
      const isReached = await fetch(origin + PUBLIC_PATH, { cache: 'no-store' }).then(
        () => true,
        () => false,
      )
      throw new ApiError(isReached ? UNREADABLE : 0)
    })

  const renew = () => {
    renewal ??= fetchToken(root.tagName)
      .then((fresh) => {
        token = fresh
        for (const listen of listeners) listen(fresh)
        return fresh
      })
      .finally(() => {
        renewal = undefined
      })
    return renewal
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @returns {Promise<unknown>} the answer's JSON; undefined when it has none
   * @throws ApiError
   */
  const call = (method, path, body) =>
    within(async () => {
      const response = await exchange(method, path, body)
      return response.status === 204 ? undefined : response.json()
    })

  /**
   * @template Result
   * @param {() => Promise<Result>} run
   */
  const within = async (run) => {
    await leaving
    const answer = run()
    open.add(answer)
    return answer.finally(() => open.delete(answer))
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @param {boolean} [isRepeated]
   */
  const exchange = async (method, path, body, isRepeated = repeatsWrites || method === 'GET') => {
    const before = token
    let response = await ask(method, path, body)
    if (response.status === 401) {
      // Another call may have renewed it meanwhile.
      if (token === before) await renew()
      if (!isRepeated) throw new ApiError(401, 'token_renewed')
      response = await ask(method, path, body)
    }
    if (!response.ok) throw await refusal(response)
    return response
  }

  return {
    origin,
    call,
    /**
     * What is no JSON.
     *
     * @param {string} method
     * @param {string} path
     * @param {unknown} [body]
     * @throws ApiError
     */
    text: (method, path, body) => within(async () => (await exchange(method, path, body)).text()),
    /** @param {string} path @returns {Promise<readonly Resource[]>} */
    async list(path) {
      const answer = /** @type {{ data: readonly Resource[] }} */ (await call('GET', path))
      return answer.data
    },
    /** The page's token, as it is now. */
    token: () => token,
    /** A fresh token, after the old one died. */
    renew: async () => {
      await leaving
      return renew()
    },
    /** Ends the session of this browser and goes to the login page.  @throws ApiError and the page stays as it was */
    async logOut() {
      let stay = () => {}
      leaving = new Promise((resolve) => {
        stay = resolve
      })
      const tooLong = new Promise((resolve) => setTimeout(resolve, LAST_READS_MS))
      await Promise.race([Promise.allSettled(open), tooLong])
      try {
        await exchange('DELETE', '/auth/login', undefined, true)
      } catch (error) {
        leaving = undefined
        stay()
        throw error
      }
      location.assign(`${origin}/auth/login`)
    },
    /** Hears of fresh tokens, for connections that last longer than one.  @param {(token: string) => void} listen */
    onToken: (listen) => {
      listeners.add(listen)
    },
    /**
     * @param {string} path
     * @param {unknown} [body]
     * @returns {Promise<void>} gone, whoever removed it
     */
    async remove(path, body) {
      try {
        await call('DELETE', path, body)
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 404) throw error
      }
    },
  }
}

/** @param {Response} response */
async function refusal(response) {
  const retryAfterS = Number(response.headers.get('Retry-After') ?? 0)
  const code = codeOf(await response.json().catch(() => undefined))
  return new ApiError(response.status, code, retryAfterS || 0)
}

/** `code` of a plain answer, or of the first error of a JSON:API document.  @param {unknown} answer */
function codeOf(answer) {
  /** @typedef {{ code?: unknown, error?: unknown, errors?: readonly { code?: unknown }[] }} Refusal */
  const { code, error, errors } = /** @type {Refusal} */ (answer ?? {})
  const found = code ?? errors?.[0]?.code ?? error
  return typeof found === 'string' ? found : ''
}

/**
 * The token in a fresh copy of this page. Without a session there is none: the page is loaded again, which leads to
 * the login page and back.
 *
 * @param {string} tagName
 */
async function fetchToken(tagName) {
  const response = await fetch(location.pathname, { redirect: 'manual', cache: 'no-store' })
  const html = response.ok ? await response.text() : ''
  const page = new DOMParser().parseFromString(html, 'text/html')
  const fresh = page.querySelector(`${tagName}[data-svc-token]`)?.getAttribute('data-svc-token')
  if (fresh === undefined || fresh === null) {
    location.reload()
    throw new ApiError(401)
  }
  return fresh
}

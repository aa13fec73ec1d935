import { join } from 'node:path'
import { readPrivateFile } from '@svc/store'
import { type Config, loadConfig } from '../config/config.ts'
import { ADMIN_TOKEN_FILE } from '../config/data-files.ts'
import { clean, listOf } from './output.ts'

/** Talks to the admin listener of a running server. */
export interface AdminClient {
  /**
   * @param path - starts with `/`
   * @throws Error in words for the operator
   */
  call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>
  /** As {@link AdminClient.call}, for an answer that is a file. What is cut short throws while it is read. */
  download(method: string, path: string, body: unknown): Promise<AsyncIterable<Uint8Array>>
  /** As {@link AdminClient.call}, with a file for a body. */
  upload(
    method: string,
    path: string,
    file: AsyncIterable<Uint8Array>,
    headers: Readonly<Record<string, string>>,
  ): Promise<Record<string, unknown>>
}

/** Nobody listens where the server should be, or it was never started. */
class ServerAwayError extends Error {
  override readonly name: string = 'ServerAwayError'
}

export function isServerAway(error: unknown): boolean {
  return error instanceof ServerAwayError
}

/** How long a command waits for the server, milliseconds. */
const TIMEOUT_MS = 60_000

/** A client for the server that the same configuration describes. */
export function createAdminClient(config: Config = loadConfig()): AdminClient {
  const base = config.adminUrl ?? `http://127.0.0.1:${config.adminPort}`

  async function request(method: string, path: string, init: RequestInit): Promise<Response> {
    const response = await send(new URL(path, base), {
      ...init,
      method,
      headers: { ...init.headers, authorization: `Bearer ${readToken(config)}` },
      redirect: 'error',
    })
    if (response.ok) return response
    throw new Error(wordsOf(parse(await response.text())) ?? `status ${response.status}`)
  }

  return {
    async call(method, path, body) {
      const response = await request(method, path, {
        ...jsonBody(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      return parse(await response.text())
    },
    async download(method, path, body) {
      const response = await request(method, path, jsonBody(body))
      return response.body as AsyncIterable<Uint8Array> // An answer with a file has a body.
    },
    async upload(method, path, file, headers) {
      const init = { headers, body: file, duplex: 'half' }
      return parse(await (await request(method, path, init as unknown as RequestInit)).text()) // Node takes more bodies.
    },
  }
}

function jsonBody(body: unknown): RequestInit {
  if (body === undefined) return {}
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** One sentence, or one for each field that is wrong. */
function wordsOf({ error, errors }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof error === 'string') return error
  const lines = listOf(errors).map(({ detail, source }) => {
    const { pointer } = (source ?? {}) as { readonly pointer?: string } // as JSON:API has it
    return `  - ${clean(pointer?.slice(1) || 'the whole')}: ${clean(detail)}`
  })
  return lines.length === 0 ? undefined : ['This was refused:', ...lines].join('\n')
}

async function send(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (cause) {
    const hint = 'is it running, and do SVC_ADMIN_PORT and SVC_ADMIN_URL say where?'
    throw new ServerAwayError(`The server does not answer at ${url.origin}: ${hint}`, { cause })
  }
}

function readToken(config: Config): string {
  if (config.adminToken !== undefined) return config.adminToken
  const file = join(config.dataDir, ADMIN_TOKEN_FILE)
  try {
    return readPrivateFile(file).trim()
  } catch (cause) {
    const hint = 'start the server in this folder first, or set SVC_DATA_DIR or SVC_ADMIN_TOKEN'
    throw new ServerAwayError(`There is no admin token in ${file}: ${hint}.`, { cause })
  }
}

function parse(text: string): Record<string, unknown> {
  if (text === '') return {}
  try {
    return JSON.parse(text) as Record<string, unknown> // The admin API answers objects.
  } catch (cause) {
    throw new Error('Something else than the server answers at the admin address.', { cause })
  }
}

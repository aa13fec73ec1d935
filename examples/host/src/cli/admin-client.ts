import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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
  return {
    async call(method, path, body) {
      const response = await send(new URL(path, base), {
        method,
        headers: {
          authorization: `Bearer ${readToken(config)}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const text = await response.text()
      const answer = parse(text)
      if (!response.ok) throw new Error(wordsOf(answer) ?? `status ${response.status}`)
      return answer
    },
  }
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
    return readFileSync(file, 'utf8').trim()
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

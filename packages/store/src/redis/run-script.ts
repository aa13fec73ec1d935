import { StoreUnavailableError } from '../store.ts'
import type { RedisClient } from './client.ts'
import type { Connection } from './connection.ts'
import type { Script } from './scripts.ts'

/** Waits for replicas before a write counts as done. */
export interface WaitReplicas {
  /** How many must have it, at least 1. */
  readonly count: number
  /**
   * How long to wait for them, milliseconds, 1 to 1900.
   * @defaultValue `1000`
   */
  readonly timeoutMs?: number
}

/** Runs a script; `repeat` when it may run twice, `replicate` when replicas are waited for. */
export type RunScript = (
  script: Script,
  keys: readonly string[],
  args: readonly (string | number)[],
  options?: { readonly repeat?: boolean; readonly replicate?: boolean },
) => Promise<unknown>

export function createRunScript(connection: Connection, wait: WaitReplicas | undefined): RunScript {
  const { client } = connection
  const runPlain = (
    script: Script,
    rest: (string | number)[],
    replicate: boolean,
  ): Promise<unknown> =>
    replicate && wait !== undefined
      ? runReplicated(client, script, rest, wait)
      : runOnce(client, script, rest)

  async function run(
    script: Script,
    rest: (string | number)[],
    replicate: boolean,
  ): Promise<unknown> {
    try {
      return await runPlain(script, rest, replicate)
    } catch (error) {
      // Redis refuses the first command that needs memory, before a script has written anything.
      if (script.whenFull === undefined || !isFull(error)) throw error
      return runPlain(script.whenFull, rest, replicate)
    }
  }

  return (script, keys, args, { repeat = false, replicate = false } = {}) => {
    const rest = [keys.length, ...keys, ...args]
    return connection.send(() => run(script, rest, replicate), repeat)
  }
}

async function runOnce(
  client: RedisClient,
  { sha, lua }: Script,
  rest: (string | number)[],
): Promise<unknown> {
  try {
    return await client.call('evalsha', sha, ...rest)
  } catch (error) {
    if (!isUnknownScript(error)) throw error
    // Nothing ran: Redis was restarted, or another node took over.
    return client.call('eval', lua, ...rest)
  }
}

/** The script and WAIT on one connection, in this order. */
async function runReplicated(
  client: RedisClient,
  { sha, lua }: Script,
  rest: (string | number)[],
  { count, timeoutMs = 1000 }: WaitReplicas,
): Promise<unknown> {
  const send = async (name: string, text: string): Promise<unknown> => {
    const pipeline = client.pipeline().call(name, text, ...rest)
    const results = await pipeline.call('wait', count, timeoutMs).exec()
    const [[error, answer] = [], [waitError, replicas] = []] = results ?? []
    const failure = error ?? waitError
    if (failure instanceof Error) throw failure
    if (Number(replicas) < count) {
      throw new StoreUnavailableError(`${Number(replicas)} of ${count} replicas have the write`)
    }
    return answer
  }
  try {
    return await send('evalsha', sha)
  } catch (error) {
    if (!isUnknownScript(error)) throw error
    return send('eval', lua)
  }
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}

function isFull(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('OOM')
}

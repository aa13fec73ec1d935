import { spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { AssistantClient, AssistantMemory } from '@svc/testkit'

const SCRIPT = path.join(import.meta.dirname, '..', 'python', 'assistant.py')

interface Said {
  readonly ask?: string
  readonly done?: unknown
  readonly failed?: string
}

/**
 * The client of the official Python SDK, in a process of its own.
 * @param python - interpreter that has `mcp`
 * @param port - of this computer, where the server of `url` is
 */
export function pythonSdk(
  python: string,
  url: URL,
  port: number,
  memory: AssistantMemory,
): AssistantClient {
  const { redirectUri, name, information, registers } = memory
  const described = information === undefined ? [] : [information.client_id]
  // JSON has no undefined: the kit leaves out what is null.
  const changes = JSON.stringify(registers, (_name, value: unknown) => value ?? null)
  const given = [url.href, String(port), redirectUri, name, changes, ...described]
  const child = spawn(python, [SCRIPT, ...given], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let isConnected = false

  const send = (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`)

  /** What an order came to. Rejects when the owner is asked in between; then {@link answer} goes on with it. */
  async function outcome(): Promise<unknown> {
    const said = JSON.parse(String((await lines.next()).value)) as Said
    if (said.failed !== undefined) throw new Error(said.failed)
    if (said.ask === undefined) return said.done
    memory.asked = new URL(said.ask)
    memory.timesAsked += 1
    throw new Error('the owner is asked')
  }

  function order(what: string, more: object = {}): Promise<unknown> {
    send({ do: what, ...more })
    return outcome()
  }

  return {
    memory,
    async connect() {
      if (!isConnected) await order('connect')
    },
    async finish(visit) {
      send({ visit })
      await outcome()
      isConnected = true
    },
    tools: async () => (await order('tools')) as readonly string[],
    call: async (tool, args = {}) =>
      (await order('call', { name: tool, arguments: args })) as Record<string, unknown>,
    spoil: async () => void (await order('spoil')),
    refreshToken: async () => (await order('refresh_token')) as string,
    async close() {
      send({ do: 'leave' })
      child.kill()
    },
  }
}

import type { RelyingParty } from '@svc/testkit'
import { exchange, keptConnections } from './exchange.ts'
import { type FleetOwner, ISSUER, letIn } from './owner.ts'
import { pace } from './pace.ts'

/** An assistant that the owner let read. */
export interface LoadAssistant {
  readonly party: RelyingParty
  readonly refreshToken: string
  /** The newest one. */
  token: string
  /** When `token` is replaced, on the clock of `performance`. */
  refreshAt: number
  /** The document that it reads. */
  readonly document: string
}

export interface AssistantCalls {
  /** Calls that were answered with the document. */
  readonly answered: number
  /** When the last of these was sent, on the clock of `performance`. */
  readonly lastAnswered: number
  /** Calls that were answered 401. */
  readonly refused: number
  readonly failures: readonly string[]
  /** Ends when every call that was sent is answered. */
  settle(): Promise<void>
}

const KIND = 'io.svc.notes'
/** Access tokens of a resource live an hour. */
const REFRESH_MS = 20 * 60_000

/** Makes a note for each, and assistants that the owner lets read. */
export async function connectAssistants(
  { browser }: FleetOwner,
  newParty: () => RelyingParty,
  count: number,
): Promise<readonly LoadAssistant[]> {
  const writer = newParty()
  await writer.register()
  const { access_token: writing } = await letIn(browser, writer, { scope: KIND })
  const assistants: LoadAssistant[] = []
  for (let at = 0; at < count; at += 1) {
    const url = `${ISSUER}/data/${KIND}`
    const made = await writer.call(writing, 'POST', url, { title: `Note ${at}`, text: 'Tulips.' })
    const { _id } = (await made.json()) as { readonly _id: string } // as the route answers
    const party = newParty()
    await party.register()
    const parameters = { resource: `${ISSUER}/mcp` }
    const issued = await letIn(browser, party, { scope: `${KIND}:GET`, parameters })
    assistants.push({
      party,
      refreshToken: String(issued.refresh_token),
      token: issued.access_token,
      refreshAt: performance.now() + REFRESH_MS,
      document: `${KIND}/${_id}`,
    })
  }
  return assistants
}

/** Every assistant in turn reads its note, at every process in turn. */
export function startCalls(
  ports: readonly number[],
  assistants: readonly LoadAssistant[],
  perSecond: number,
): AssistantCalls {
  const agent = keptConnections()
  const failures: string[] = []
  let answered = 0
  let lastAnswered = 0
  let refused = 0

  async function call(at: number): Promise<void> {
    const assistant = assistants[at % assistants.length]
    // Of a round of all assistants the next one goes to the other process.
    const port = ports[(at + Math.floor(at / assistants.length)) % ports.length]
    if (assistant === undefined || port === undefined) return
    await refreshWhenDue(assistant)
    const sentAt = performance.now()
    const { result, text } = await exchange({
      agent,
      port,
      method: 'POST',
      path: '/mcp',
      headers: {
        authorization: `Bearer ${assistant.token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: at,
        method: 'tools/call',
        params: { name: 'fetch', arguments: { id: assistant.document } },
      }),
    })
    if (result === 200 && text.includes('Tulips.')) {
      answered += 1
      lastAnswered = Math.max(lastAnswered, sentAt)
    } else if (result === 401) refused += 1
    else failures.push(`${result} ${text.slice(0, 200)}`)
  }

  const running = pace(perSecond, call)
  return {
    get answered() {
      return answered
    },
    get lastAnswered() {
      return lastAnswered
    },
    get refused() {
      return refused
    },
    failures,
    async settle() {
      await running.stop()
      agent.destroy()
    },
  }
}

async function refreshWhenDue(assistant: LoadAssistant): Promise<void> {
  if (performance.now() < assistant.refreshAt) return
  assistant.refreshAt += REFRESH_MS
  const { access_token: token } = await assistant.party.refresh(assistant.refreshToken)
  assistant.token = token
}

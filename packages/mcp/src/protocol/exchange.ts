import type { CallToolResult } from '@modelcontextprotocol/server'
import { compiledSchema } from '@svc/platform'
import type { ToolCaller } from '../tools/tool.ts'
import type { Tools } from '../tools/tools.ts'
import type { Admission } from '../calls/admission.ts'
import type { CallAnswer, ToolCall } from '../calls/run-call.ts'
import { BAD_PARAMS, NOT_A_REQUEST } from './messages.ts'

/** One request, and what became of it beside what the library answers. */
export interface Exchange extends ToolCaller {
  readonly signal: AbortSignal
  /** Counts the request and its call: nothing is answered before. */
  readonly admission: Admission
  /** Thrown by a tool and not for the client: the house answers it. */
  thrown?: { readonly error: unknown }
  /** The challenge of a 403. */
  challenge?: string
  /** The error of this exchange has words of ours. */
  hasOwnWords?: boolean
}

export interface ExchangeServices {
  readonly tools: Tools
  run(call: ToolCall): Promise<CallAnswer>
}

/** An error of the protocol, for the library to send. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** `tools/call`. @throws Refusal */
export async function callTool(
  { tools, run }: ExchangeServices,
  exchange: Exchange,
  {
    name,
    arguments: given = {},
  }: { readonly name: string; readonly arguments?: object | undefined },
): Promise<CallToolResult> {
  const tool = tools.get(name)
  if (tool === undefined) throw refuse(exchange, BAD_PARAMS, 'there is no such tool')
  const check = compiledSchema(tool.input)
  if (!check(given)) {
    const [fault] = check.errors ?? []
    const where = fault?.instancePath === '' ? '' : `${fault?.instancePath.slice(1) ?? ''} `
    throw refuse(exchange, BAD_PARAMS, `arguments: ${where}${fault?.message ?? 'malformed'}`)
  }
  const { instance, access, signal, admission } = exchange
  let answer: CallAnswer
  try {
    answer = await run({ tool, given, instance, access, signal, admission })
  } catch (error) {
    exchange.thrown = { error }
    throw error
  }
  if ('result' in answer) return answer.result
  exchange.challenge = answer.challenge
  throw refuse(exchange, NOT_A_REQUEST, `permission needed: ${answer.missing}`)
}

function refuse(exchange: Exchange, code: number, message: string): Refusal {
  exchange.hasOwnWords = true
  return new Refusal(code, message)
}

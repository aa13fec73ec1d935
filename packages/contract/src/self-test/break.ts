import type { Answered } from '../model/evidence.ts'
import type { Answer } from '../model/exchange.ts'
import type { Mutation } from './mutation.ts'
import { mutationsOf } from './noticing.ts'

/** One rule that a server breaks as long as a run lasts. */
export interface Break {
  readonly name: string
  readonly family: string
  /** The label of the one answer that is broken; absent for a server that breaks the rule everywhere. */
  readonly at?: string
  /** What a check that notices it says. */
  readonly reason: RegExp
  /** For one run: what was seen in it is forgotten after it. */
  begin(): Breaking
}

/** What is done to answers and frames on their way to the runner. */
export interface Breaking {
  /** The answer that the runner gets. @param exchange - what was asked and answered; its label is empty for what is no part of the recording */
  answer?(exchange: Answered): Answer | Promise<Answer>
  /** Frames that the runner gets for one of the server. */
  frame?(label: string, frame: string): readonly string[]
  /** Frames that the runner gets before any of the server. */
  opening?(label: string): readonly string[]
  /** The subprotocol that the runner is told instead of the one that the server chose. */
  protocol?(chosen: string): string
  /** Whether the connection is closed at once, or never. */
  closes?(label: string): 'at once' | 'never' | undefined
}

const AUTH_ERROR = JSON.stringify({ event: 'error', payload: { source: { method: 'AUTH' } } })

/** What is done to frames, by the name of the mutation of a transcript. */
const FRAMES: Readonly<Record<string, Omit<Breaking, 'answer'>>> = {
  'events withheld': { frame: () => [] },
  'events doubled': { frame: (_, frame) => [frame, frame] },
  'an event of AUTH': { opening: () => [AUTH_ERROR] },
  'the connection closed': { closes: () => 'at once' },
  'the connection left open': { closes: () => 'never' },
  'errors without their members': {
    frame: (_, frame) =>
      frame.includes('"error"') ? [JSON.stringify({ event: 'error', payload: {} })] : [frame],
  },
}

/** The server that gives this broken answer; `undefined` where a proxy cannot. */
export function breakOf(mutation: Mutation, isSocket: boolean): Break | undefined {
  const { name, family, at, reason } = mutation
  if (isSocket && family !== 'status') {
    const frames = FRAMES[name]
    return frames === undefined
      ? undefined
      : { name, family, at, reason, begin: () => onlyAt(at, frames) }
  }
  return {
    name,
    family,
    at,
    reason,
    begin: () => ({
      answer: (exchange) =>
        exchange.label === at
          ? (mutationsOf(exchange).find((one) => one.name === name && one.family === family)
              ?.answer ?? exchange.answer)
          : exchange.answer,
    }),
  }
}

function onlyAt(at: string, { frame, opening, closes }: Omit<Breaking, 'answer'>): Breaking {
  return {
    ...(frame !== undefined && {
      frame: (label, text) => (label === at ? frame(label, text) : [text]),
    }),
    ...(opening !== undefined && { opening: (label) => (label === at ? opening(label) : []) }),
    ...(closes !== undefined && {
      closes: (label) => (label === at ? closes(label) : undefined),
    }),
  }
}

import type { CallToolResult } from '@modelcontextprotocol/server'
import {
  type AssistantCall,
  type OAuth,
  type Permission,
  type Resource,
  serializeScope,
} from '@svc/oauth-core'
import type { ToolErrorCode } from '../tool-error.ts'
import { ToolError } from '../tool-error.ts'
import { type CallNote, type Need, needsOf, type Tool, type ToolCaller } from '../tools/tool.ts'
import type { Admission } from './admission.ts'
import type { Counters } from './counters.ts'
import type { CallEvent } from './call-events.ts'
import { errorResult, resultOf } from './result.ts'
import type { Turns } from './turns.ts'

export interface CallServices {
  readonly oauth: Pick<OAuth, 'assistants' | 'stepUp'>
  readonly resource: Resource
  readonly counters: Counters
  readonly turns: Turns
  readonly onCall: (call: CallEvent) => void
}

/** A call whose arguments are what the tool's schema says. */
export interface ToolCall extends ToolCaller {
  readonly tool: Tool
  readonly given: object
  readonly signal: AbortSignal
  readonly admission: Admission
}

/** What a call comes to: a result, or the challenge of a 403. */
export type CallAnswer =
  | { readonly result: CallToolResult }
  | { readonly challenge: string; readonly missing: string }

type Outcome = ToolErrorCode | 'cancelled' | 'insufficient_scope' | 'internal_error' | 'ok'

/** What is kept of a call, as far as it is known. */
interface Noted extends CallNote {
  readonly outcome: Outcome
  readonly bytes: number
}

/**
 * Runs a tool: limits, then scope, then the tool, then the entry. The entry of a read is durable before the answer; that
 * of a write is in the write itself, or before it.
 * @throws whatever is not for a model: an unreachable store, a flood
 * @see assistants.md 5.8, 6.2
 */
export async function runCall(services: CallServices, call: ToolCall): Promise<CallAnswer> {
  const { tool, given } = call
  const started = performance.now()
  const needs = needsOf(tool, given, call)
  const type = typeOf(needs)
  const done = (outcome: Outcome, documents = 0): void => {
    const seconds = (performance.now() - started) / 1000
    const isWrite = !tool.readOnly
    services.onCall({ tool: tool.name, outcome, seconds, documents, isWrite })
  }
  try {
    await call.admission.call(!tool.readOnly)
    const challenge = await challengeOf(services, call, needs)
    if (challenge !== undefined) {
      await enter(services, call, { outcome: 'insufficient_scope', bytes: 0 }, type)
      done('insufficient_scope')
      return challenge
    }
    const { result, note } = await services.turns.take(call.access.grantId, () =>
      runTool(services, call, type),
    )
    done('ok', note.documents)
    return { result }
  } catch (error) {
    if (!(error instanceof ToolError)) {
      done('internal_error')
      throw error
    }
    const result = errorResult(error)
    await enter(services, call, { outcome: error.code, bytes: 0 }, type)
    done(error.code)
    return { result }
  }
}

async function runTool(
  services: CallServices,
  call: ToolCall,
  type: string | undefined,
): Promise<{ readonly result: CallToolResult; readonly note: CallNote }> {
  const { tool, given, instance, access, signal } = call
  let note: CallNote = {}
  let isEntered = false
  // Nobody can undo what such a tool does: that it was begun is noted before.
  if (!tool.readOnly && tool.notesWrites !== true) {
    await enter(services, call, { outcome: 'ok', bytes: 0 }, type)
    isEntered = true
  }
  // A tool of an embedding server may throw before it answers a promise, whatever its types say.
  const running = Promise.resolve().then(() =>
    tool.run(given, {
      instance,
      access,
      signal,
      note(more) {
        note = { ...note, ...more }
      },
      async noteWrite({ id, type: ofType, bytes, before }) {
        const writes = [{ id, revision: '', ...(before !== undefined && { before }) }]
        const entry = entryOf(call, { outcome: 'ok', bytes, documents: 1, writes }, ofType)
        const changes = await services.oauth.assistants.callChanges(entry)
        isEntered = true
        return changes
      },
    }),
  )
  const found = await running.catch(async (error: unknown) => {
    // What it had read until then is in the list, too, as far as anything can be written.
    if (!(error instanceof ToolError)) {
      const noted = { outcome: 'internal_error', bytes: 0 } as const
      await enter(services, call, noted, type).catch(() => {})
    }
    throw error
  })
  if (tool.readOnly && signal.aborted) {
    await enter(services, call, { outcome: 'cancelled', bytes: 0 }, type)
    return { result: { content: [] }, note: {} }
  }
  const { result, bytes } = resultOf(found)
  const documents = note.documents ?? countListed(found)
  const counted = tool.readOnly ? documents : 0
  const { counters } = services
  const count = async (): Promise<void> => {
    if (counted > 0) await counters.hitDocuments(instance, access.grantId, counted)
  }
  const isLate =
    counted > 0 && (await counters.isFarFromDocuments(instance, access.grantId, counted))
  if (!isLate) await count()
  const noted = { ...note, outcome: 'ok', bytes, documents } as const
  // Of calls that come at once, one makes the document: the others were to write it, and did not.
  if (note.isWritten === false) isEntered = false
  // All are writes, which a store makes at once when they come at once.
  await Promise.all([
    isLate ? count() : undefined,
    isEntered ? undefined : enter(services, call, noted, type),
  ])
  return { result, note: { ...note, documents } }
}

/** What the caller is told that lacks something; undefined when it lacks nothing. @throws ToolError */
async function challengeOf(
  { oauth, resource }: CallServices,
  { instance, access }: ToolCall,
  needs: readonly Need[],
): Promise<CallAnswer | undefined> {
  const missing = needs.filter((need) => !holds(access.permissions, need))
  if (missing.length === 0) return undefined
  const challenge = await oauth.stepUp(resource, instance, access, needs.map(toRule))
  if (challenge === undefined) throw new ToolError('permission_refused')
  return { challenge, missing: serializeScope(missing.map(toRule)) }
}

/** Whether some rule is about it; which documents it covers is asked about each. */
function holds(permissions: readonly Permission[], { verb, type }: Need): boolean {
  return permissions.some((rule) => rule.type === type && rule.verbs.includes(verb))
}

function toRule({ verb, type }: Need): Permission {
  return { type, verbs: [verb] }
}

/** The kind of data that a call is about, when it is one. */
function typeOf(needs: readonly Need[]): string | undefined {
  const types = new Set(needs.map(({ type }) => type))
  const [type] = types
  return types.size === 1 ? type : undefined
}

function enter(
  { oauth }: CallServices,
  call: ToolCall,
  noted: Noted,
  type: string | undefined,
): Promise<void> {
  return oauth.assistants.recordCall(entryOf(call, noted, type))
}

function entryOf(call: ToolCall, noted: Noted, ofNeeds: string | undefined): AssistantCall {
  const { instance, access, tool } = call
  const { outcome, bytes, documents = 0, writes, type = ofNeeds } = noted
  return {
    instance: instance.id,
    grantId: access.grantId,
    clientId: access.client.id,
    tool: tool.name,
    documents,
    bytes,
    outcome,
    ...(type !== undefined && { type }),
    ...(writes !== undefined && { writes }),
  }
}

/** The documents of a tool that says nothing about them: the members of its lists. */
function countListed(found: object): number {
  return Object.values(found)
    .filter((member) => Array.isArray(member))
    .reduce((sum, list) => sum + list.length, 0)
}

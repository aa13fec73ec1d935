import type { ResourceAccess, Verb } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { Change } from '@svc/store'

/** A JSON schema of an object. */
export type ObjectSchema = Readonly<Record<string, unknown>> & { readonly type: 'object' }

/** One permission that a call needs. */
export interface Need {
  readonly verb: Verb
  readonly type: string
}

/** Who calls, and where. */
export interface ToolCaller {
  readonly instance: Instance
  /** What the owner allowed: `allows` has to be asked about each document. */
  readonly access: ResourceAccess
}

/** What a tool notes about a call, for the owner's list. */
export interface CallNote {
  /** How many documents the caller was given or changed. @defaultValue the members of the result's lists */
  readonly documents?: number
  /** Kind of data. @defaultValue that of the call's needs, when it is one */
  readonly type?: string
  readonly writes?: readonly {
    readonly id: string
    readonly revision: string
    /** What it replaced or deleted. */
    readonly before?: string
  }[]
  /** Whether the changes of {@link ToolContext.noteWrite} were written, once they were asked for. @defaultValue `true` */
  readonly isWritten?: boolean
}

/** A document that a write is about to make or change. */
export interface PlannedWrite {
  readonly type: string
  readonly id: string
  /** Of what is stored. */
  readonly bytes: number
  /** Revision that it replaces or deletes. @defaultValue nothing */
  readonly before?: string
}

export interface ToolContext extends ToolCaller {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  note(note: CallNote): void
  /**
   * The changes that note a write in the owner's list: they belong into the very write, so that nothing is written
   * without its entry.
   */
  noteWrite(write: PlannedWrite): Promise<readonly Change[]>
}

/** A tool, as it is declared. Texts are fixed: they are the same for every caller. */
export interface ToolOptions<Arguments extends object = Readonly<Record<string, unknown>>> {
  readonly name: string
  readonly title: string
  /** For the model. @defaultValue the title */
  readonly description?: string
  /** Whether it only reads. */
  readonly readOnly: boolean
  /** Whether it may take something away. @defaultValue the opposite of `readOnly` */
  readonly destructive?: boolean
  /** Whether the same call twice is the same as once. @defaultValue that of `readOnly` */
  readonly idempotent?: boolean
  /**
   * Whether it puts the changes of {@link ToolContext.noteWrite} into what it writes. Else its entry is made before it
   * runs, since what it does cannot be undone.
   */
  readonly notesWrites?: boolean
  /** Schema of the arguments, `additionalProperties: false`. */
  readonly input: ObjectSchema
  /** Schema of the result. */
  readonly output?: ObjectSchema
  /** What the call needs, all of it. None: a live grant is enough. */
  readonly needs: (given: Arguments, caller: ToolCaller) => readonly Need[]
  /** @throws ToolError what the model is told */
  readonly run: (given: Arguments, context: ToolContext) => Promise<object>
}

/** A tool that was declared. */
export type Tool = ToolOptions<object>

const NAME = /^[a-zA-Z0-9_.-]{1,64}$/

/**
 * A declared tool: whatever it says of itself has been held against it.
 * @throws TypeError for one that says no `needs`, or too much of them
 */
export function declareTool<Arguments extends object>(options: ToolOptions<Arguments>): Tool {
  const { name, needs, run, input, readOnly } = options
  if (!NAME.test(name)) throw new TypeError(`tool ${JSON.stringify(name)} has no name`)
  if (typeof needs !== 'function') throw new TypeError(`tool ${name} does not say what it needs`)
  if (typeof run !== 'function') throw new TypeError(`tool ${name} does nothing`)
  if (input['additionalProperties'] !== false) {
    throw new TypeError(`tool ${name} takes arguments that its schema does not name`)
  }
  // The schema of the tool is checked before every call.
  const tool = options as unknown as Tool
  if (readOnly) requireReading(tool)
  return tool
}

/** What a call needs. @throws TypeError when a tool that only reads needs more */
export function needsOf(tool: Tool, given: object, caller: ToolCaller): readonly Need[] {
  const needs = tool.needs(given, caller)
  if (tool.readOnly && needs.some(({ verb }) => verb !== 'GET')) throw writes(tool)
  return needs
}

/** As far as can be known before a call: most tools need the same whatever they are asked. */
function requireReading(tool: Tool): void {
  let needs: readonly Need[]
  try {
    // `needs` of most tools look at nobody.
    needs = tool.needs({}, {} as ToolCaller)
  } catch {
    return // It depends on the call, and is looked at then.
  }
  if (needs.some(({ verb }) => verb !== 'GET')) throw writes(tool)
}

function writes({ name }: Tool): TypeError {
  return new TypeError(`tool ${name} is to read only and needs more than GET`)
}

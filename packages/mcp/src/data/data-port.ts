import type { Verb } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { Change, Json } from '@svc/store'
import type { ToolCaller } from '../tools/tool.ts'

/** A document, as the server's own rules show it to this caller. */
export interface DataDocument {
  readonly kind: string
  readonly id: string
  readonly revision: string
  readonly title: string
  /** All of it that can be read. */
  readonly text: string
  /** Opens it in an app of the instance. Never holds a token. @defaultValue the start page of the instance */
  readonly url?: string
  /** As ISO 8601, where the document says it. */
  readonly changedAt?: string
}

/**
 * A page of documents that a `DataPort` lists. `cursor` leads to the next one and is absent on the last.
 * @see docs/assistants.md of the repository
 */
export interface DataPage {
  /** Those that the caller may read; a page may have none of them and be followed by others. */
  readonly documents: readonly DataDocument[]
  readonly cursor?: string
}

/** What a kind of data is called, and what may be done to it, in the owner's language. */
export interface KindWords {
  readonly name: string
  readonly read: string
  readonly add: string
  readonly change: string
  readonly delete: string
}

/** A document that is to be made. */
export interface NewDocument {
  readonly kind: string
  readonly id: string
  readonly fields: Readonly<Record<string, Json>>
}

/** A document as a tool names it, at the revision that the caller saw. */
export interface SeenDocument {
  readonly kind: string
  readonly id: string
  readonly revision: string
}

/** What is to be changed of a document. */
export interface ChangedFields extends SeenDocument {
  /** Members that get this value; `null` takes one away. The others stay as they are. */
  readonly fields: Readonly<Record<string, Json>>
}

/**
 * The documents of a server. Its rules are the server's: it asks `access.allows` about each document, before and after a
 * change, and shows nothing that a rule does not cover, that is reserved, or that wants a confirmation.
 * @see assistants.md 6.5; docs/decisions/0073
 */
export interface DataPort {
  /** What assistants may be offered, unless the operator lists less. */
  readonly kinds: readonly string[]
  wordsOf(instance: Instance, kind: string): KindWords
  /** In an order that stays. @throws ToolError `not_found` for a cursor that no page gave */
  list(
    caller: ToolCaller,
    kind: string,
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<DataPage>
  get(caller: ToolCaller, kind: string, id: string, verb: Verb): Promise<DataDocument | undefined>
  /**
   * Makes a document, in one write with the other changes.
   * @returns its revision; the revision of the document that is there when it is the very same, with nothing written
   * @throws ToolError `conflict` when another one has this id, `not_found` for what no rule covers, `invalid_fields`,
   * `quota_exceeded`, `try_later`
   */
  create(
    caller: ToolCaller,
    document: NewDocument,
    also: () => Promise<readonly Change[]>,
  ): Promise<{ readonly revision: string; readonly isNew: boolean }>
  /**
   * Changes a document, in one write with the other changes and with what keeps the version before: the owner can put
   * that back. A port that keeps none leaves this out; then the tool `update` is not offered.
   * @returns the revision since; with `isNew` false that of the document as this very change made it before, or as it
   * was already, with nothing written
   * @throws ToolError `conflict` for any other revision, `shared_document` for what others see too, and those of
   * {@link DataPort.create}
   */
  update?(
    caller: ToolCaller,
    change: ChangedFields,
    also: () => Promise<readonly Change[]>,
  ): Promise<{ readonly revision: string; readonly isNew: boolean }>
  /**
   * Deletes a document, as {@link DataPort.update} changes one. Left out: the tool `delete` is not offered.
   * @returns whether anything was written: not when this very call did it before
   * @throws ToolError as {@link DataPort.update}
   */
  remove?(
    caller: ToolCaller,
    document: SeenDocument,
    also: () => Promise<readonly Change[]>,
  ): Promise<{ readonly isNew: boolean }>
}

import type { Ability } from './ability.ts'

/** A header field as it was sent: fields may stand more than once, and their order may matter. */
export type Header = readonly [name: string, value: string]

export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly Header[]
  readonly body?: string
}

export interface Answer {
  readonly status: number
  readonly headers: readonly Header[]
  readonly body: string
}

/** One request and what came back. */
export interface Exchange {
  /** Names what was asked, such as `tok.exchange`; unique in a run. */
  readonly label: string
  /** Milliseconds since the run began. */
  readonly at: number
  /** How long the answer took; milliseconds. */
  readonly ms: number
  /** Who answered, when it was not the server that is tested. */
  readonly by?: 'mailbox' | 'provider'
  readonly request: SentRequest
  /** Absent when no answer came. */
  readonly answer?: Answer
  /** Why no answer came. */
  readonly fault?: string
}

/** What was seen of a secret before it was replaced by its name. */
export interface SecretFacts {
  readonly kind: string
  readonly length: number
  /** Whether it holds letters, digits, `-` and `_` alone. */
  readonly isPlain: boolean
  /** Header and claims, when it is a JWT. */
  readonly jwt?: {
    readonly header: Readonly<Record<string, unknown>>
    readonly claims: Readonly<Record<string, unknown>>
  }
}

/** What a run recorded; secrets are replaced by names such as `<refresh_token 2>`. */
export interface Recording {
  readonly target: string
  readonly run: string
  readonly exchanges: readonly Exchange[]
  readonly secrets: Readonly<Record<string, SecretFacts>>
  /** Values that scenarios noted, by name, such as the client that a token was issued to. */
  readonly notes: Readonly<Record<string, string>>
  /** What the run had beside the server. */
  readonly abilities?: readonly Ability[]
  /** Scenarios that stopped before their end, with the reason. */
  readonly stopped: Readonly<Record<string, string>>
}

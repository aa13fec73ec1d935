import type { Answer, Exchange } from '../model/exchange.ts'

/** One thing that is broken in one answer. */
export interface Mutation {
  /** What was done, such as `status 500`. */
  readonly name: string
  readonly family: string
  /** Label of the exchange. */
  readonly at: string
  /** What a check that notices it says. */
  readonly reason: RegExp
  readonly answer: Answer
}

/** Breaks an answer in every way of one family. */
export type Family = (exchange: Exchange & { readonly answer: Answer }) => readonly Mutation[]

/** Text as a part of an expression. */
export function literally(text: string): string {
  return text.replace(/[^A-Za-z0-9 ]/g, '\\$&')
}

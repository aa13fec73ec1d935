import type { InstanceId, Logger, Sealer } from '@svc/platform'
import type { Store } from '@svc/store'
import { createOneTimeValues, createToken } from './one-time-values.ts'
import type { CallbackQuery, PendingFlow } from './pending-flow.ts'

/** What a ticket stands for: a flow and the provider's answer to it. */
export interface Ticketed {
  readonly flow: PendingFlow
  readonly query: CallbackQuery
}

/** Carry an answer from the callback host to the instance, where the browser can show that it is the right one. */
export interface Tickets {
  /** @returns 43 characters, good once and for a minute */
  create(ticketed: Ticketed): Promise<string>
  take(instance: InstanceId, ticket: string): Promise<Ticketed | undefined>
}

export interface TicketsOptions {
  readonly store: Store
  readonly sealer: Pick<Sealer, 'derive'>
  readonly clock: { now(): number }
  readonly log: Logger
  /** Milliseconds. */
  readonly lifetimeMs: number
}

interface StoredTicket {
  readonly flow: PendingFlow
  readonly query: readonly (readonly [name: string, value: string])[]
}

/** @see connectors.md 4.4 */
export function createTickets(options: TicketsOptions): Tickets {
  const values = createOneTimeValues<StoredTicket>({ ...options, kind: 'account-ticket' })

  return {
    async create({ flow, query }) {
      const ticket = createToken()
      await values.put(flow.instance, ticket, { flow, query: [...query] })
      return ticket
    },
    async take(instance, ticket) {
      const stored = await values.take(instance, ticket)
      return stored && { flow: stored.flow, query: new Map(stored.query) }
    },
  }
}

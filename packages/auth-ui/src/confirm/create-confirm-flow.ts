import { type Instance, type Logger, SECOND_MS } from '@svc/platform'
import { describeError } from '@svc/store'
import { answerRedirect } from '../web/answer.ts'
import type { EventSink } from '../ports.ts'
import type { ConfirmFlow } from './confirm-flow.ts'
import { confirmedLocation } from './confirm-location.ts'
import type { ConfirmTargets } from './confirm-targets.ts'
import type { Confirmations } from './confirmations.ts'

/** What {@link createConfirmFlow} needs. */
export interface ConfirmFlowOptions {
  readonly confirmations: Confirmations
  readonly confirmTargets: ConfirmTargets
  readonly events: EventSink
  readonly namespace: string
  readonly log: Logger
}

/** SPEC: realtime.md 7.5 - a slow bus delays the answer no longer. */
const MAX_WAIT_MS = SECOND_MS

/** The event comes after everything that can fail, and before the answer (login.md 6.2). */
export function createConfirmFlow(options: ConfirmFlowOptions): ConfirmFlow {
  const { confirmations, confirmTargets, events, namespace, log } = options

  async function tellApps(instance: Instance, state: string): Promise<void> {
    // SPEC: decision D22 - deployed clients read only `doc`. The code never travels here.
    const event = { type: `${namespace}.auth.confirmations`, id: state, doc: { _id: state } }
    const told = events.publish(instance, 'CREATED', event).catch((error: unknown) => {
      log.error('confirmation.untold', { instance: instance.domain, cause: describeError(error) })
    })
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, MAX_WAIT_MS)
    })
    await Promise.race([told, patience])
    clearTimeout(timer)
  }

  return {
    async finish(ctx, owner, { state, redirect }) {
      const { instance } = ctx.state
      // Judged again: the app may be gone since the first step.
      const target = await confirmTargets.parse(instance, redirect ?? '')
      const { slug, outerHost } = target
      const code = await confirmations.create(instance, owner, {
        state,
        ...(slug === undefined ? {} : { slug }),
        ...(outerHost === undefined ? {} : { host: outerHost }),
      })
      await tellApps(instance, state)
      log.info('owner.confirmed', { instance: instance.domain })
      answerRedirect(ctx, confirmedLocation(target, { state, code }))
    },
  }
}

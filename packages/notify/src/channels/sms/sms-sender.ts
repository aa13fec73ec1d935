import type { Instance, Outbound } from '@svc/platform'
import { createCircuitBreaker } from '../../circuit-breaker.ts'
import type { NotifyServices } from '../../services.ts'
import type { ChannelOutcome } from '../channel.ts'
import { createHttpSmsGateway } from './http-sms-gateway.ts'
import {
  type OutgoingText,
  providerFor,
  type SmsGateway,
  type SmsOptions,
  type SmsProvider,
} from './sms-options.ts'
import type { FitRule } from './sms-text.ts'

/** How texts of one instance leave. */
export interface SmsWay {
  /** How long its texts may be. */
  readonly rule: FitRule
  send(message: OutgoingText, signal: AbortSignal): Promise<ChannelOutcome>
}

/** Knows the gateways. One for notifications and for texts of the server itself. */
export interface SmsSender {
  /** Undefined: no gateway accepts texts of the instance. */
  wayFor(instance: Instance): SmsWay | undefined
}

export function createSmsSender(
  { clock, log }: Pick<NotifyServices, 'clock' | 'log'>,
  { options, outbound }: { readonly options: SmsOptions; readonly outbound: Outbound },
): SmsSender {
  const gateways = new Map<SmsProvider, SmsGateway>()
  const breaker = createCircuitBreaker<SmsGateway>({ clock })

  function gatewayOf(provider: SmsProvider | undefined): SmsGateway | undefined {
    if (options.gateway !== undefined || provider === undefined) return options.gateway
    const known = gateways.get(provider)
    const gateway = known ?? createHttpSmsGateway({ provider, outbound, clock, log })
    gateways.set(provider, gateway)
    return gateway
  }

  return {
    wayFor({ context }) {
      const provider = providerFor(options, context)
      const gateway = gatewayOf(provider)
      if (gateway === undefined) return undefined
      return {
        rule: provider ?? {},
        async send(message, signal) {
          const ask = (): Promise<ChannelOutcome> => gateway.send(message, signal)
          const answer = await breaker.call(gateway, signal, ask, isSilence)
          return typeof answer === 'string' ? { class: 'transient', code: answer } : answer.result
        },
      }
    },
  }
}

function isSilence(end: ChannelOutcome | Error): boolean {
  return !(end instanceof Error) && end.code === 'timeout'
}

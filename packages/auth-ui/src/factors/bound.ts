import type { Instance, RouteContext } from '@svc/platform'
import { isSecondFactorOn } from '../owner/factors.ts'
import type { Owner } from '../owner/owner.ts'
import type { TwoFactorPurpose } from '../ports.ts'
import type { AuthUiServices } from '../services.ts'
import { visitorOf } from '../web/visitor.ts'
import type { Challenge, ChallengeRequest } from './challenge.ts'
import { type ChallengeAnswer, completeChallenge } from './challenge-answer.ts'
import { passkeyRequestOptions } from './passkeys.ts'
import {
  findChallenge,
  findUsedChallenge,
  recallChallenge,
  resendPasscode,
  startChallenge,
} from './second-factor.ts'
import {
  findTrustedDevice,
  removeTrustedDevices,
  trustDevice,
  type TrustedDevice,
} from './trusted-devices.ts'

/** The functions of `second-factor.ts` and `challenge-answer.ts`, bound to their services. */
export interface SecondFactor {
  isOn(owner: Owner): boolean
  begin(ctx: RouteContext, owner: Owner, request: ChallengeRequest): Promise<Challenge>
  find(ctx: RouteContext, owner: Owner, token: string): Promise<Challenge | undefined>
  findUsed(ctx: RouteContext, owner: Owner, token: string): Promise<ChallengeRequest | undefined>
  recall(ctx: RouteContext, token: string): Promise<ChallengeRequest | undefined>
  complete(
    ctx: RouteContext,
    owner: Owner,
    purpose: TwoFactorPurpose,
    answer: ChallengeAnswer,
    admit?: () => Promise<unknown>,
  ): Promise<Challenge>
  resend(ctx: RouteContext, owner: Owner, token: string): Promise<Challenge>
}

/** The functions of `trusted-devices.ts`, bound to their services. */
export interface TrustedDevices {
  find(instance: Instance, owner: Owner, token: string): Promise<TrustedDevice | undefined>
  create(ctx: RouteContext, owner: Owner): Promise<string>
  removeAll(instance: Instance): Promise<void>
}

/** The function of `passkeys.ts` that a page asks. */
export interface Passkeys {
  readonly requestOptions: typeof passkeyRequestOptions
}

export function bindSecondFactor(services: AuthUiServices): SecondFactor {
  return {
    isOn: (owner) => isSecondFactorOn(owner.factors),
    begin: (ctx, owner, request) =>
      startChallenge(services, visitorOf(services, ctx), owner, request),
    find: (ctx, owner, token) => findChallenge(services, ctx.state.instance, owner, token),
    findUsed: (ctx, owner, token) => findUsedChallenge(services, ctx.state.instance, owner, token),
    recall: (ctx, token) => recallChallenge(services, ctx.state.instance, token),
    complete: (ctx, owner, purpose, answer, admit) =>
      completeChallenge(services, visitorOf(services, ctx), owner, purpose, answer, admit),
    resend: (ctx, owner, token) => resendPasscode(services, visitorOf(services, ctx), owner, token),
  }
}

export function bindTrustedDevices(services: AuthUiServices): TrustedDevices {
  return {
    find: (instance, owner, token) => findTrustedDevice(services, instance, owner, token),
    create: (ctx, owner) => trustDevice(services, ctx.state.instance, owner, ctx.get('User-Agent')),
    removeAll: (instance) => removeTrustedDevices(services, instance),
  }
}

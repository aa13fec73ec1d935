import { hash } from 'node:crypto'
import { equalSecrets, type Instance, type RouteContext } from '@svc/platform'
import type { ConnectorsServices } from '../services.ts'
import { createToken, isToken } from './flow-store.ts'

/** A sibling host may have planted some beside ours where there is no https. */
const MAX_SAME_NAME = 5

/**
 * Gives the browser the cookie that says that a flow began there, or the one it has for longer.
 * @returns the hash to remember
 * @see connectors.md 4.4
 */
export function bindBrowser(
  ctx: RouteContext,
  { lifetimes }: Pick<ConnectorsServices, 'lifetimes'>,
): string {
  const { instance } = ctx.state
  const value = valuesOf(ctx).find(isToken) ?? createToken()
  const parts = [
    `${nameOf(instance)}=${value}`,
    `Max-Age=${Math.max(1, Math.floor(lifetimes.binder / 1000))}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Lax',
    ...(instance.isHttps ? ['Secure'] : []),
  ]
  // Beside that of a session that a code just opened.
  ctx.append('Set-Cookie', parts.join('; '))
  return hashOf(value)
}

/** Whether the request comes from the browser of that hash. */
export function isBoundBrowser(ctx: RouteContext, binderHash: string): boolean {
  return valuesOf(ctx).some((value) => equalSecrets(hashOf(value), binderHash))
}

function nameOf({ isHttps }: Instance): string {
  return isHttps ? '__Host-svc_acct' : 'svc_acct'
}

function valuesOf(ctx: RouteContext): readonly string[] {
  const wanted = nameOf(ctx.state.instance)
  return ctx
    .get('Cookie')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${wanted}=`))
    .map((pair) => pair.slice(wanted.length + 1))
    .slice(0, MAX_SAME_NAME)
}

function hashOf(value: string): string {
  return hash('sha256', value, 'base64url')
}

import type { Instance } from '@svc/platform'

/** The address in the mail. @param redirect - normalised; empty when none */
export function magicLinkUrl(instance: Instance, code: string, redirect: string): string {
  const back = redirect === '' ? '' : `&redirect=${encodeURIComponent(redirect)}`
  return `${instance.origin}/auth/magic_link?code=${code}${back}`
}

/** The log-in that leads to the same place. @param redirect - normalised; empty when none */
export function loginPath(redirect: string): string {
  return redirect === '' ? '/auth/login' : `/auth/login?redirect=${encodeURIComponent(redirect)}`
}

import type { Basis, Capability, Check, Level } from './check.ts'

/** What kind of server is asked, and what it has. */
export interface Profile {
  readonly name: string
  /** Rules that count, and how much: a rule of another basis is left out. */
  readonly levels: Readonly<Partial<Record<Basis, Level>>>
  readonly has: readonly Capability[]
  /** Groups that are run; all when absent. */
  readonly groups?: readonly string[]
  /** A URL that takes bearer tokens, below the base, with the scope that opens it. */
  readonly resource?: { readonly path: string; readonly scope: string; readonly other: string }
  /** Prefix of document types. */
  readonly namespace: string
  /** The attribute of an app's page that holds its token. */
  readonly tokenAttribute: string
  /** Slug of an app that each owner has, and of the one that may manage clients. */
  readonly apps?: { readonly home: string; readonly settings: string }
  readonly subdomains: 'nested' | 'flat'
}

/** How much a rule counts in a profile; `undefined` where it does not. */
export function levelIn(profile: Profile, { level, basis }: Check): Level | undefined {
  const most = profile.levels[basis]
  if (most === undefined) return undefined
  const order: readonly Level[] = ['may', 'should', 'must']
  return order.indexOf(level) < order.indexOf(most) ? level : most
}

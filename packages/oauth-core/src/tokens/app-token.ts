import type { Instance } from '../instances/instance.ts'
import type { AppManifest } from '../ports.ts'

/** Tokens of the instance's own web apps. @see oauth.md 7.1, decisions D29, D35 */
export interface AppTokens {
  /** A fresh 24 h token of an installed app, bound to a session. */
  issue(instance: Instance, app: AppManifest, sessionId: string): Promise<string>
}

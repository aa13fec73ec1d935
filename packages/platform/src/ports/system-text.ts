import type { Instance } from '../instances/instance.ts'

/** A text this server sends by itself, with its variables. */
export interface SystemText {
  /** The code that proves that the owner reads the texts of a number. @see owner.md 1.9 */
  readonly template: 'phone_code'
  readonly variables: {
    readonly code: string
    /** How long the code works, whole minutes. */
    readonly minutes: number
  }
}

/** Sends texts of the server itself. The host connects it, usually to `@svc/notify`. */
export interface Texter {
  /** Whether texts of the instance go anywhere. */
  canSend(instance: Instance): boolean
  /**
   * Resolves when the text was accepted for sending; rejects when it cannot be sent.
   * @param number - E.164, such as `+33612345678`
   */
  send(instance: Instance, number: string, text: SystemText): Promise<void>
}

import { type Skippable, skipUnless } from './skip-unless.ts'

/**
 * Call in tests whose clients come from several addresses of 127.0.0.0/8. Linux has them all; elsewhere somebody would
 * have to add them first.
 */
export function needsLoopbackAddresses(context: Skippable): void {
  skipUnless(context, process.platform === 'linux', 'only 127.0.0.1 is an address of this machine')
}

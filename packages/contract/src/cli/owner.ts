import { readFileSync } from 'node:fs'
import { CannotRun } from '../model/cannot-run.ts'
import type { RunOptions } from '../run/options.ts'

export interface OwnerOptions {
  readonly ownerPassphrase?: string
  readonly ownerPassphraseFile?: string
  readonly ownerSession?: string
}

/** Who the owner is: a passphrase from where it was given, or a session. @throws CannotRun when there is neither, or both */
export function ownerOf(
  options: OwnerOptions,
  environment: Readonly<Record<string, string | undefined>>,
  warn: (text: string) => void,
): Pick<RunOptions, 'passphrase' | 'session'> {
  const { ownerSession, ownerPassphrase, ownerPassphraseFile } = options
  if (ownerSession !== undefined) {
    if (ownerPassphrase !== undefined || ownerPassphraseFile !== undefined) {
      throw new CannotRun('Give --owner-session or a passphrase, not both.')
    }
    if (!/^[^=;\s]+=[^;]+/.test(ownerSession)) {
      throw new CannotRun('--owner-session: write name=value')
    }
    warn('Other users of this machine can read --owner-session while it runs.')
    return { session: ownerSession }
  }
  return {
    passphrase: ownerPassphraseOf(options, environment['CONTRACT_OWNER_PASSPHRASE'], warn),
  }
}

function ownerPassphraseOf(
  options: OwnerOptions,
  fromEnvironment: string | undefined,
  warn: (text: string) => void,
): string {
  if (options.ownerPassphrase !== undefined) {
    warn('Other users of this machine can read --owner-passphrase; use --owner-passphrase-file.')
    return options.ownerPassphrase
  }
  if (options.ownerPassphraseFile !== undefined) {
    try {
      return readFileSync(options.ownerPassphraseFile, 'utf8').replace(/\r?\n$/, '')
    } catch (error) {
      throw new CannotRun(error instanceof Error ? error.message : String(error), { cause: error })
    }
  }
  if (fromEnvironment !== undefined && fromEnvironment !== '') return fromEnvironment
  throw new CannotRun(
    'The owner is needed: --owner-passphrase-file, or CONTRACT_OWNER_PASSPHRASE in the environment.',
  )
}

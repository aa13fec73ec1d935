import { readFileSync } from 'node:fs'
import { CannotRun } from '../run/run.ts'

export interface OwnerOptions {
  readonly ownerPassphrase?: string
  readonly ownerPassphraseFile?: string
}

/** The passphrase of the owner, from where it was given. @throws CannotRun when it was not */
export function ownerPassphrase(
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

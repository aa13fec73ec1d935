import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  defineOptions,
  flag,
  func,
  OptionsError,
  type OptionsDefinition,
  type OptionsFor,
  text,
} from '../options.ts'
import type { SealingKey } from './sealer.ts'
import { makeSecretFile } from './secret-file.ts'

/** What {@link sealingKeys} needs. */
export interface SealingKeysOptions {
  /** Path of the file: `kid:base64` of 32 random bytes each, separated by white space; the first seals, all open. */
  readonly file: string
  /**
   * Makes the file, with mode 0600, when there is none. For development: a file that is made anew in production opens
   * nothing that was sealed before.
   * @defaultValue `false`
   */
  readonly create?: boolean
  /** Takes the sentence that the file was made. @defaultValue writes it to standard error */
  readonly notice?: (text: string) => void
}

/** A keyring's file as it may be given. */
export const SEALING_KEYS_OPTIONS: OptionsDefinition<Required<SealingKeysOptions>> = defineOptions({
  file: text('a path'),
  create: flag().or(false),
  notice: func<(text: string) => void>().or(
    (sentence) => void process.stderr.write(`${sentence}\n`),
    'standard error',
  ),
} satisfies OptionsFor<SealingKeysOptions>)

const FORM = 'must hold kid:base64 of 32 random bytes each'
const MAKE = 'openssl rand -base64 32'

/**
 * The keyring of a file (D52).
 * @throws TypeError when there is no such file and none is to be made, or it holds no keys
 * @example
 * const keys = sealingKeys({ file: 'data/keys', create: process.env.NODE_ENV !== 'production' })
 */
export function sealingKeys(given: SealingKeysOptions): readonly SealingKey[] {
  const { file, create, notice } = SEALING_KEYS_OPTIONS.settle(given)
  const content = create ? made(file, notice) : read(file)
  try {
    return parseSealingKeys(content)
  } catch (error) {
    throw fault((error as Error).message)
  }
}

/**
 * Reads keys as a file or a variable has them: `kid:base64` each, separated by white space or commas.
 * @throws TypeError saying what is wrong, without a value
 */
export function parseSealingKeys(content: string): SealingKey[] {
  const keys = content
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map(parseKey)
  if (keys.length === 0) throw new TypeError(FORM)
  return keys
}

function made(file: string, notice: (text: string) => void): string {
  const { content, isNew } = makeSecretFile(
    file,
    () => `k1:${randomBytes(32).toString('base64')}\n`,
  )
  if (isNew) {
    notice(`Sealing keys were made in ${file}. Keep a copy: without them the store cannot be read.`)
  }
  return content
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (!isAbsent) throw fault(`cannot be read (${(error as NodeJS.ErrnoException).code})`)
    throw fault(
      'does not exist',
      `Make it with: (umask 077 && echo "k1:$(${MAKE})" > ${file}). In development, create: true does`,
    )
  }
}

function fault(problem: string, hint?: string): OptionsError {
  return new OptionsError([{ path: 'options.file', problem, ...(hint !== undefined && { hint }) }])
}

function parseKey(part: string): SealingKey {
  const [, kid, base64] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/.exec(part) ?? []
  if (kid === undefined || base64 === undefined) throw new TypeError(FORM)
  const key = Buffer.from(base64, 'base64')
  // 32 random bytes hold fewer than 16 different values with a chance below 2^-40; an example or a pattern does.
  if (new Set(key).size < 16) {
    throw new TypeError(`the key ${kid} is not random; make one with ${MAKE}`)
  }
  return { kid, key }
}

import { instance as instanceOption, list, type Option } from '@svc/platform/options'
import type { Instance } from '@svc/platform'

/** Factors of the host that a server may have. */
const MOST = 5
const NAME = /^[a-z][a-z0-9-]{0,14}$/

/**
 * A code factor of the host, for `createAuthUi({ factors: [factor] })`. Its answer is typed into the one field for codes
 * (decision 0101). Tries, single use, recovery codes, trusted devices, mails and the record of activity are the package's.
 * It has no access to anything: what it knows is the state that the package keeps for it, sealed, with the owner.
 */
export interface OwnFactor {
  /** `[a-z][a-z0-9-]{0,14}`; the kind of the factor is `x-<name>`. It is stored with owners: it stays the same. */
  readonly name: string
  /** What the owner's settings call it, by language; `en` is needed. At most 60 characters each. */
  readonly label: Readonly<Record<string, string>>
  /** Begins to enrol an owner. Nothing is on before `verify` found a first answer right. */
  enrol(instance: Instance): NewOwnFactor | Promise<NewOwnFactor>
  /**
   * Compares an answer, purely: it writes nothing, and is asked again when another request was faster. The package writes
   * the next state in the one conditional write that uses the second step up, so that of N parallel callers of the same
   * answer one passes. An answer that may pass once must be wrong with the next state. Compare in constant time.
   * What it throws, and a promise, are a wrong answer and a line in the log.
   * @param state - what `enrol` or the last right answer gave
   * @param answer - 1 to 64 characters without spaces; none that was right for another factor of the owner
   * @param now - milliseconds since the epoch
   */
  verify(state: string, answer: string, now: number): OwnFactorResult
}

/** A factor that is being enrolled. */
export interface NewOwnFactor {
  /** What the settings show the owner, once: at least one of the two. */
  readonly show: {
    /** For typing into a device, at most 1024 characters. */
    readonly secret?: string
    /** For a QR code, at most 1024 characters. */
    readonly uri?: string
  }
  /** What `verify` needs, at most 2 KiB in UTF-8. */
  readonly state: string
}

/** What an answer was; after a right one the state that is kept, at most 2 KiB in UTF-8. */
export type OwnFactorResult =
  | { readonly result: 'wrong' }
  | { readonly result: 'right'; readonly state: string }

/** The option that holds the factors of the host. */
export function ownFactorsOption(): Option<readonly OwnFactor[]> {
  const factor = instanceOption<OwnFactor>(
    'a factor with name ([a-z][a-z0-9-]{0,14}), label (with en), enrol and verify',
    isOwnFactor,
  )
  return list(factor, MOST).that((given) => {
    const names = given.map(({ name }) => name)
    const twice = names.find((name, place) => names.indexOf(name) !== place)
    return twice === undefined ? undefined : `must not have two factors named ${twice}`
  })
}

function isOwnFactor(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { name, label, enrol, verify } = value as Partial<OwnFactor>
  return (
    typeof name === 'string' &&
    NAME.test(name) &&
    isLabel(label) &&
    typeof enrol === 'function' &&
    typeof verify === 'function'
  )
}

function isLabel(label: unknown): boolean {
  if (typeof label !== 'object' || label === null || !('en' in label)) return false
  return Object.values(label).every(
    (text) => typeof text === 'string' && text.length > 0 && text.length <= 60,
  )
}

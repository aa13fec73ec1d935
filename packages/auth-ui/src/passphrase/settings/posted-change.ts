import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../../errors.ts'
import { createMembersReader } from '../json-body.ts'
import type { PassphraseFields } from '../new-passphrase.ts'
import { CHANGE_PASSPHRASE_SCHEMA } from './passphrase.schema.ts'

/** `PUT /settings/passphrase`; texts that are absent are empty. */
export interface PostedChange {
  readonly currentPassphrase: string
  readonly isForced: boolean
  readonly twoFactorToken: string
  readonly twoFactorPasscode: string
  /** Whether the body says anything about the hint. */
  readonly hasHint: boolean
  readonly fields: PassphraseFields
}

/** @throws AuthUiError `invalid_parameter` */
export type ReadChange = (ctx: RouteContext) => PostedChange

/** Compiles the schema once; keys may come in either spelling (login.md 7). */
export function createChangeReader(): ReadChange {
  const readMembers = createMembersReader(CHANGE_PASSPHRASE_SCHEMA)
  return function readChange(ctx) {
    const members = readMembers(ctx.state.json)
    const text = (name: string): string => String(members.get(name) ?? '')
    const either = (name: string, alias: string): string => {
      const [first, second] = [text(name), text(alias)]
      if (first !== '' && second !== '' && first !== second) {
        throw new AuthUiError('invalid_parameter', { description: `${name} is given twice` })
      }
      return first || second
    }
    return {
      currentPassphrase: text('current_passphrase'),
      isForced: members.get('force') === true,
      twoFactorToken: text('two_factor_token'),
      twoFactorPasscode: text('two_factor_passcode'),
      hasHint: members.has('hint'),
      fields: {
        passphrase: text('new_passphrase'),
        hint: text('hint'),
        iterations: text('iterations'),
        key: text('key'),
        publicKey: either('public_key', 'publicKey'),
        privateKey: either('private_key', 'privateKey'),
      },
    }
  }
}

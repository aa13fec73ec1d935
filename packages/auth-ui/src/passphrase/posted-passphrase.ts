import type { RouteContext } from '@svc/platform'
import { createMembersReader } from './json-body.ts'
import type { PassphraseFields } from './new-passphrase.ts'
import { NEW_PASSPHRASE_SCHEMA } from './new-passphrase.schema.ts'

/** `POST /settings/passphrase`, form or JSON. */
export interface PostedPassphrase {
  readonly registerToken: string
  readonly redirection: string
  readonly fields: PassphraseFields
}

/** Reads the body, whichever of the two it is. @throws AuthUiError `invalid_parameter` */
export type ReadPosted = (ctx: RouteContext) => PostedPassphrase

/** Compiles the schema once. Lengths are judged later, in bytes, where the form can be shown again. */
export function createPostedReader(): ReadPosted {
  const readMembers = createMembersReader(NEW_PASSPHRASE_SCHEMA)

  function readerOf(ctx: RouteContext): (name: string) => string {
    const { form, json } = ctx.state
    if (json === undefined) return (name) => form.text(name)
    const members = readMembers(json)
    return (name) => String(members.get(name) ?? '')
  }

  return function readPosted(ctx) {
    const read = readerOf(ctx)
    return {
      registerToken: read('register_token'),
      redirection: read('redirection'),
      fields: {
        passphrase: read('passphrase'),
        hint: read('hint'),
        iterations: read('iterations'),
        key: read('key'),
        publicKey: read('public_key'),
        privateKey: read('private_key'),
      },
    }
  }
}

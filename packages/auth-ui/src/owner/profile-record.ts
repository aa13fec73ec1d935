import { type RecordKind, valueSchemas } from '@svc/platform'

const { boolean, count, instant, members, text } = valueSchemas

/** What is kept of changes of the mail address, and of the phone. @see owner.md 1.1 */
export const PROFILE_RECORD: RecordKind = {
  kind: 'profile',
  version: 1,
  schema: members(
    {},
    {
      emailPending: members(
        {
          address: text,
          tokenHash: text,
          requestedAt: instant,
          sentAt: instant,
          expiresAt: instant,
          sends: count,
          canUndo: boolean,
        },
        { proof: members({ undoHash: text, until: instant }) },
      ),
      emailPrevious: members({
        address: text,
        undoHash: text,
        changedAt: instant,
        until: instant,
        canUndo: boolean,
      }),
      phone: members({ number: text, verifiedAt: instant }),
      phonePending: members(
        { number: text, codeHash: text, expiresAt: instant, tries: count },
        { proof: members({ id: text, until: instant }) },
      ),
    },
  ),
  tags: 'instance',
  places: { by: 'ids', ids: ['profile'] },
  life: 'with the instance; a pending address counts for 60 min and is proven once; the one of before can take the change back once, for 72 h; a code of a text counts for 10 min and five tries; always written together with the instance’s record',
  export: 'yes',
  content:
    'mail address that is to be proven, with SHA-256 of its token, when it was asked for and mailed, how often; mail address of before, with SHA-256 of the token that takes the change back, since and until when; phone number that was proven, and when; phone number that is to be proven, with HMAC-SHA-256 of its code',
}

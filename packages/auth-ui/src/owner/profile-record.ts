import { type RecordKind, valueSchemas } from '@svc/platform'

const { boolean, count, instant, members, text } = valueSchemas

/** What is kept of changes of the mail address. @see owner.md 1.1 */
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
    },
  ),
  tags: 'instance',
  places: { by: 'ids', ids: ['profile'] },
  life: 'with the instance; a pending address counts for 60 min and is proven once; the one of before can take the change back once, for 72 h; always written together with the instance’s record',
  export: 'yes',
  content:
    'mail address that is to be proven, with SHA-256 of its token, when it was asked for and mailed, how often; mail address of before, with SHA-256 of the token that takes the change back, since and until when',
}

/** What changes of the profile and of the mail address write into the log. */
export const PROFILE_LOG_EVENTS = {
  'profile.changed': {
    level: 'info',
    audit: true,
    when: 'The owner changed name, language or time zone.',
    fields: { domain: 'string', members: 'string' },
    since: '0.1.0',
  },
  'email.change_requested': {
    level: 'info',
    audit: true,
    when: 'The owner asked for another mail address; it is not proven yet.',
    fields: { domain: 'string', address: 'string', undoable: 'boolean' },
    since: '0.1.0',
  },
  'email.change_dropped': {
    level: 'info',
    audit: true,
    when: 'The owner gave a change of the mail address up.',
    fields: { domain: 'string' },
    since: '0.1.0',
  },
  'email.changed': {
    level: 'info',
    audit: true,
    when: 'The owner proved another mail address, which took the place of the old one.',
    fields: { domain: 'string', address: 'string', undoable: 'boolean' },
    since: '0.1.0',
  },
  'email.undone': {
    level: 'info',
    audit: true,
    when: 'A change of the mail address was taken back from the old mailbox.',
    fields: { domain: 'string', address: 'string' },
    since: '0.1.0',
  },
  'email.set': {
    level: 'info',
    audit: true,
    when: 'The operator set the mail address of an owner.',
    fields: { domain: 'string' },
    since: '0.1.0',
  },
  'email.old_untold': {
    level: 'error',
    when: 'The old mail address took no mail that tells of the new one; the change goes on.',
    fields: { domain: 'string', cause: 'string' },
    since: '0.1.0',
  },
  'email.undo_unfinished': {
    level: 'error',
    when: 'A change of the mail address was taken back, and a part of what follows failed.',
    fields: { domain: 'string', what: 'string', cause: 'string' },
    since: '0.1.0',
  },
} as const

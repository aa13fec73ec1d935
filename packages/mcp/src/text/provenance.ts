/** Says of a result, beside what is in it, that it is data. @see assistants.md 6.7 */
export const OWNERS_DOCUMENT = { source: 'owner-document', trust: 'untrusted' } as const

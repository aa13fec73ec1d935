/** How long a repeat of a write with the same id is answered like the first call, milliseconds. @see decision D56 */
export const WRITE_ANSWER_MS = 60_000

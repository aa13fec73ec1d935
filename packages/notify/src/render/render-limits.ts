/** Limits of apps' templates. @see notifications.md 10.3 */

export const MAX_TEMPLATE_BYTES = 262_144
export const MAX_OUTPUT_BYTES = 524_288
/** How long a template may take by the engine's own clock. Milliseconds. */
export const RENDER_MS = 200
/**
 * When the thread is ended that works on it: the engine looks at its clock only between two steps. Long enough for a
 * thread that is only starting on a busy machine, short against the 10 s of an attempt. Milliseconds.
 */
export const RENDER_DEADLINE_MS = 3000
/** How long a thread without work is kept. Milliseconds. */
export const IDLE_MS = 60_000

/** Output format of a template: `html` escapes variables, `text` does not. */
export type TemplateForm = 'html' | 'text'

/** Work of the render thread. */
export type RenderJob =
  | {
      readonly kind: 'template'
      readonly form: TemplateForm
      readonly source: string
      readonly data: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'plain'; readonly html: string }
  | {
      readonly kind: 'clean'
      readonly html: string
      /** Links to these are left as they are; those to others show their host. */
      readonly ownHosts: readonly string[]
    }

/** Answer of the thread: the output, or the error, worded for the app's author. */
export type RenderAnswer = { readonly output: string } | { readonly fault: string }

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

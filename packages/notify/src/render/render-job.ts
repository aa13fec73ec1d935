import type { TemplateForm } from './template-engine.ts'

/** Work of the render thread. */
export type RenderJob =
  | {
      readonly kind: 'template'
      readonly form: TemplateForm
      readonly source: string
      readonly data: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'plain'; readonly html: string }

/** What the thread answers: the output, or what went wrong, in words for the app's author. */
export type RenderAnswer = { readonly output: string } | { readonly fault: string }

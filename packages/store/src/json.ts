/** A JSON value. Records are stored as JSON: what does not survive `JSON.stringify` is lost. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json | undefined }

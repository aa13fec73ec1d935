import type { BrowserResponse } from '@svc/testkit'

interface Body {
  readonly code?: string
  readonly error?: string
  readonly errors?: readonly { readonly code?: string }[]
}

/** Status and code of an answer in any of the JSON families, such as `403 csrf_invalid`. */
export function refusalOf(answer: BrowserResponse): string {
  const { code, error, errors } = answer.json<Body>()
  return `${answer.status} ${errors?.[0]?.code ?? code ?? error}`
}

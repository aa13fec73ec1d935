import type { ErrorRow } from '../../packages/platform/src/index.ts'
import { type Document, GENERATED, table } from './document.ts'

/** The error table of one package. */
export interface ErrorGroup {
  readonly name: string
  readonly errors: Readonly<Record<string, ErrorRow>>
}

/** `docs/errors.md` from the packages' error tables. */
export function errorTables(groups: readonly ErrorGroup[]): Document {
  const parts = groups.flatMap(({ name, errors }) => [
    `## ${name}`,
    table(
      ['Code', 'Status', 'Sent', 'When, and what to do', 'Source'],
      Object.entries(errors).map(([code, { status, description, title, text, source }]) => [
        `\`${code}\``,
        String(status),
        description ?? title ?? '',
        text,
        source,
      ]),
    ).trimEnd(),
  ])
  const content = ['# Errors', GENERATED, INTRODUCTION, ...parts].join('\n\n')
  return { file: 'docs/errors.md', content: `${content}\n` }
}

/** Codes that the page would list without saying when they are answered. */
export function errorFaults(groups: readonly ErrorGroup[]): string[] {
  return groups.flatMap(({ name, errors }) =>
    Object.entries(errors)
      .filter(([, { text }]) => text.trim() === '')
      .map(([code]) => `docs/errors.md: ${code} of ${name} has no text`),
  )
}

const INTRODUCTION = `What the packages answer when they refuse. The code is for programs and stable; how it travels depends on the family
of the endpoint, see [http-api.md](http-api.md). "Sent" is the description that goes with the code, or its title in
JSON:API answers, unless the case has a better one; empty: the code alone, or what each case says. Nothing of it ever
carries a secret, a token or an address.`

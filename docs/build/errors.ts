import { type Document, GENERATED, table } from './document.ts'

interface ErrorRow {
  readonly status: number
  readonly description?: string
  /** Where the text is written for each case: what all cases are called. */
  readonly title?: string
  readonly source?: string
}

/** The error table of one package. */
export interface ErrorGroup {
  readonly name: string
  readonly errors: Readonly<Record<string, ErrorRow>>
  /** Where the whole table is specified. */
  readonly source?: string
}

/** `docs/errors.md` from the packages' error tables. */
export function errorTables(groups: readonly ErrorGroup[]): Document {
  const parts = groups.flatMap(({ name, errors, source: whole = '' }) => [
    `## ${name}`,
    table(
      ['Code', 'Status', 'Text', 'Source'],
      Object.entries(errors).map(([code, { status, description, title, source }]) => [
        `\`${code}\``,
        String(status),
        description ?? title ?? 'says what is wrong',
        source ?? whole,
      ]),
    ).trimEnd(),
  ])
  const content = ['# Errors', GENERATED, INTRODUCTION, ...parts].join('\n\n')
  return { file: 'docs/errors.md', content: `${content}\n` }
}

const INTRODUCTION = `What the packages answer when they refuse. The code is for programs and stable; how it travels depends on the family
of the endpoint, see [http-api.md](http-api.md). Texts never carry a secret, a token or an address.`

import { OWNERS_DOCUMENT } from '../text/provenance.ts'
import { cleanLine } from '../text/clean-text.ts'
import { MAX_TITLE } from '../limits.ts'
import { ToolError } from '../tool-error.ts'
import type { ToolOptions } from '../tools/tool.ts'
import type { DataDocument } from './data-port.ts'
import type { DataToolsOptions } from './data-tools-options.ts'
import {
  DEFAULT_LIMIT,
  documentId,
  input,
  KIND,
  LIMIT,
  needOf,
  output,
  PROVENANCE,
} from './schemas.ts'

interface Arguments {
  readonly kind: string
  readonly limit?: number
  readonly cursor?: string
}

/** Pages without anything that the caller may read, before the model has to ask for the next one. */
const MOST_EMPTY_PAGES = 10

/** Documents of a kind, in pages. */
export function listTool({ data, kinds }: DataToolsOptions): ToolOptions<Arguments> {
  return {
    name: 'list',
    title: 'List documents',
    description:
      'Lists documents of a kind: ids and titles. Give the cursor of the result to get those that follow.',
    readOnly: true,
    input: input(
      { kind: KIND, limit: LIMIT, cursor: { type: 'string', minLength: 1, maxLength: 1000 } },
      ['kind'],
    ),
    output: output(
      {
        ...PROVENANCE,
        documents: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              id: { type: 'string' },
              title: { type: 'string' },
              changedAt: { type: 'string' },
            },
            required: ['id', 'title'],
          },
        },
        cursor: { type: 'string' },
      },
      ['documents'],
    ),
    needs: ({ kind }) => needOf('GET', kind, kinds),
    async run({ kind, limit = DEFAULT_LIMIT, cursor }, context) {
      if (!kinds.includes(kind)) throw new ToolError('not_found')
      const documents: DataDocument[] = []
      let next = cursor
      let pages = 0
      do {
        const page = await data.list(context, kind, {
          limit: limit - documents.length,
          ...(next !== undefined && { cursor: next }),
        })
        documents.push(...page.documents)
        next = page.cursor
        pages += 1
      } while (
        next !== undefined &&
        documents.length < limit &&
        pages < MOST_EMPTY_PAGES &&
        !context.signal.aborted
      )
      return {
        ...OWNERS_DOCUMENT,
        documents: documents.map((document) => ({
          id: documentId(document),
          title: cleanLine(document.title, MAX_TITLE),
          ...(document.changedAt !== undefined && { changedAt: document.changedAt }),
        })),
        ...(next !== undefined && { cursor: next }),
      }
    },
  }
}

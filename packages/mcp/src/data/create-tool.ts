import { createHash } from 'node:crypto'
import { ToolError } from '../tool-error.ts'
import type { ToolOptions } from '../tools/tool.ts'
import type { DataToolsOptions } from './data-tools-options.ts'
import { bytesOf, type Fields, FIELDS } from './fields.ts'
import { documentId, input, KIND, needOf, output } from './schemas.ts'

interface Arguments {
  readonly kind: string
  readonly fields: Fields
  readonly key: string
}

/** Makes a document. The same call again, by its key, makes no second one. */
export function createTool({ data, kinds }: DataToolsOptions): ToolOptions<Arguments> {
  return {
    name: 'create',
    title: 'Create a document',
    description:
      'Creates a document of a kind. Choose a new key for each document; repeat the same key only to try the same call again.',
    readOnly: false,
    destructive: false,
    idempotent: true,
    notesWrites: true,
    input: input(
      {
        kind: KIND,
        fields: {
          ...FIELDS,
          description: 'The members of the document. None begins with an underscore.',
        },
        key: { type: 'string', minLength: 1, maxLength: 64, description: 'Of this one call.' },
      },
      ['kind', 'fields', 'key'],
    ),
    output: output({ id: { type: 'string' }, revision: { type: 'string' } }, ['id', 'revision']),
    needs: ({ kind }) => needOf('POST', kind, kinds),
    async run({ kind, fields, key }, context) {
      if (!kinds.includes(kind)) throw new ToolError('not_found')
      const bytes = bytesOf(fields)
      const id = idOf(context.access.client.id, kind, key)
      const { revision, isNew } = await data.create(context, { kind, id, fields }, () =>
        context.noteWrite({ type: kind, id: documentId({ kind, id }), bytes }),
      )
      context.note({ documents: isNew ? 1 : 0, isWritten: isNew })
      return { id: documentId({ kind, id }), revision }
    },
  }
}

/** The same for the same key of a client, so that a repeated call finds what the first one made. */
function idOf(client: string, kind: string, key: string): string {
  return createHash('sha256')
    .update(JSON.stringify([client, kind, key]))
    .digest('hex')
    .slice(0, 32)
}

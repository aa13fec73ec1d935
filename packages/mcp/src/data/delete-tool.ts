import { isPrintable } from '../text/clean-text.ts'
import { ToolError } from '../tool-error.ts'
import type { ToolOptions } from '../tools/tool.ts'
import type { DataPort } from './data-port.ts'
import type { DataToolsOptions } from './data-tools-options.ts'
import { ID, input, needOf, output, parseDocumentId, REVISION } from './schemas.ts'

interface Arguments {
  readonly id: string
  readonly revision: string
}

/** Deletes a document; the owner can put it back. */
export function deleteTool(
  { kinds }: DataToolsOptions,
  remove: NonNullable<DataPort['remove']>,
): ToolOptions<Arguments> {
  return {
    name: 'delete',
    title: 'Delete a document',
    description:
      'Deletes a document that fetch gave at this revision. After a conflict, fetch it again.',
    readOnly: false,
    destructive: true,
    idempotent: true,
    notesWrites: true,
    input: input({ id: ID, revision: REVISION }, ['id', 'revision']),
    output: output({}, []),
    needs: ({ id }) => needOf('DELETE', parseDocumentId(id).kind, kinds),
    async run({ id: name, revision }, context) {
      const { kind, id } = parseDocumentId(name)
      if (!kinds.includes(kind) || !isPrintable(id)) throw new ToolError('not_found')
      const { isNew } = await remove(context, { kind, id, revision }, () =>
        context.noteWrite({ type: kind, id: name, bytes: 0, before: revision }),
      )
      context.note({ documents: isNew ? 1 : 0, isWritten: isNew })
      return {}
    },
  }
}

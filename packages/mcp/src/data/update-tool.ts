import type { Verb } from '@svc/oauth-core'
import { isPrintable } from '../text/clean-text.ts'
import { ToolError } from '../tool-error.ts'
import type { ToolCaller, ToolOptions } from '../tools/tool.ts'
import type { DataPort } from './data-port.ts'
import type { DataToolsOptions } from './data-tools-options.ts'
import { bytesOf, type Fields, FIELDS } from './fields.ts'
import { ID, input, needOf, output, parseDocumentId, REVISION } from './schemas.ts'

interface Arguments {
  readonly id: string
  readonly revision: string
  readonly fields: Fields
}

/** Changes members of a document; the owner can put the version before back. */
export function updateTool(
  { kinds }: DataToolsOptions,
  update: NonNullable<DataPort['update']>,
): ToolOptions<Arguments> {
  return {
    name: 'update',
    title: 'Change a document',
    description:
      'Changes members of a document that fetch gave at this revision. Members that are not named stay as they are; null takes one away. After a conflict, fetch it again.',
    readOnly: false,
    destructive: true,
    idempotent: true,
    notesWrites: true,
    input: input(
      {
        id: ID,
        revision: REVISION,
        fields: {
          ...FIELDS,
          description:
            'The members to change, with their new values. None begins with an underscore.',
        },
      },
      ['id', 'revision', 'fields'],
    ),
    output: output({ revision: { type: 'string' } }, ['revision']),
    needs({ id }, caller) {
      const { kind } = parseDocumentId(id)
      return needOf(verbOf(caller, kind), kind, kinds)
    },
    async run({ id: name, revision, fields }, context) {
      const { kind, id } = parseDocumentId(name)
      if (!kinds.includes(kind) || !isPrintable(id)) throw new ToolError('not_found')
      const bytes = bytesOf(fields)
      const change = { kind, id, revision, fields }
      const { revision: made, isNew } = await update(context, change, () =>
        context.noteWrite({ type: kind, id: name, bytes, before: revision }),
      )
      context.note({ documents: isNew ? 1 : 0, isWritten: isNew })
      return { revision: made }
    },
  }
}

/** Either will do, and the wider one is asked for. */
function verbOf({ access }: ToolCaller, kind: string): Verb {
  const held = access.permissions.filter(({ type }) => type === kind).flatMap(({ verbs }) => verbs)
  return held.includes('PATCH') && !held.includes('PUT') ? 'PATCH' : 'PUT'
}

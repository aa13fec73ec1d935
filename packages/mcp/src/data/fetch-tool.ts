import { ENVELOPE_BYTES, MAX_ANSWER_BYTES, MAX_TEXT, MAX_TITLE } from '../limits.ts'
import { bytesTwice } from '../text/bytes.ts'
import { cleanLine, cleanText, cut, isPrintable, isTorn } from '../text/clean-text.ts'
import { OWNERS_DOCUMENT } from '../text/provenance.ts'
import { ToolError } from '../tool-error.ts'
import type { ToolOptions } from '../tools/tool.ts'
import type { DataToolsOptions } from './data-tools-options.ts'
import { documentId, ID, input, needOf, output, parseDocumentId, PROVENANCE } from './schemas.ts'

interface Arguments {
  readonly id: string
  readonly offset?: number
}

/** For everything of an answer but the text. */
const OTHER_BYTES: number = 8 * 1024 + ENVELOPE_BYTES

/** One document with its text. */
export function fetchTool({ data, kinds }: DataToolsOptions): ToolOptions<Arguments> {
  return {
    name: 'fetch',
    title: 'Read a document',
    description:
      'Reads a document by the id that list and search give. A long text is truncated: call again with the offset of the result.',
    readOnly: true,
    input: input(
      {
        id: ID,
        offset: {
          type: 'integer',
          minimum: 0,
          maximum: 1_000_000_000,
          description: 'How many characters of the text to leave out.',
        },
      },
      ['id'],
    ),
    output: output(
      {
        ...PROVENANCE,
        id: { type: 'string' },
        title: { type: 'string' },
        text: { type: 'string' },
        url: { type: 'string' },
        truncated: { type: 'boolean' },
        nextOffset: { type: 'integer' },
        metadata: { type: 'object' },
      },
      ['id', 'title', 'text', 'url', 'metadata'],
    ),
    needs({ id }) {
      // Before the arguments of a call are known.
      if (id === undefined) return []
      return needOf('GET', parseDocumentId(id).kind, kinds)
    },
    async run({ id: name, offset = 0 }, context) {
      const { kind, id } = parseDocumentId(name)
      const document =
        kinds.includes(kind) && isPrintable(id)
          ? await data.get(context, kind, id, 'GET')
          : undefined
      if (document === undefined) throw new ToolError('not_found')
      context.note({ documents: 1, type: kind })
      const whole = cleanText(document.text)
      const start = isTorn(whole, offset) ? offset - 1 : offset
      const text = fitting(whole.slice(start))
      const end = start + text.length
      const isCleaned = whole !== document.text || cleanText(document.title) !== document.title
      return {
        ...OWNERS_DOCUMENT,
        id: documentId(document),
        title: cleanLine(document.title, MAX_TITLE),
        text,
        url: document.url ?? context.instance.origin,
        ...(end < whole.length && { truncated: true, nextOffset: end }),
        metadata: {
          kind,
          revision: document.revision,
          ...(document.changedAt !== undefined && { changedAt: document.changedAt }),
          ...(isCleaned && { cleaned: true }),
        },
      }
    },
  }
}

/** As much of a text as an answer has room for: most texts are one byte a character, some are three and more. */
function fitting(text: string): string {
  const room = MAX_ANSWER_BYTES - OTHER_BYTES
  let fits = 0
  let most = Math.min(text.length, MAX_TEXT)
  if (bytesTwice(cut(text, most)) <= room) return cut(text, most)
  while (fits < most) {
    const middle = Math.ceil((fits + most) / 2)
    if (bytesTwice(text.slice(0, middle)) <= room) fits = middle
    else most = middle - 1
  }
  return cut(text, fits)
}

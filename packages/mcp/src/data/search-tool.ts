import { setImmediate } from 'node:timers/promises'
import { MAX_EXCERPT, MAX_TITLE, SEARCH_DOCUMENTS, SEARCH_MS } from '../limits.ts'
import { cleanLine, cleanText, isTorn } from '../text/clean-text.ts'
import { OWNERS_DOCUMENT } from '../text/provenance.ts'
import { ToolError } from '../tool-error.ts'
import type { ToolCaller, ToolContext, ToolOptions } from '../tools/tool.ts'
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
  readonly query: string
  readonly kind?: string
  readonly limit?: number
}

/** How many documents are read at a time. */
const PAGE = 100
const BEFORE_MATCH = 60
/** How long a search may keep all others waiting, but for the document that it is at. */
const BREATH_MS = 10

/** Documents with all the words of a query. */
export function searchTool(options: DataToolsOptions): ToolOptions<Arguments> {
  const { kinds } = options
  return {
    name: 'search',
    title: 'Search documents',
    description:
      'Searches the documents that the owner allowed for all words of the query. Results have an id for fetch.',
    readOnly: true,
    input: input(
      { query: { type: 'string', minLength: 1, maxLength: 200 }, kind: KIND, limit: LIMIT },
      ['query'],
    ),
    output: output(
      {
        ...PROVENANCE,
        complete: { type: 'boolean' },
        results: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              id: { type: 'string' },
              title: { type: 'string' },
              url: { type: 'string' },
              kind: { type: 'string' },
              excerpt: { type: 'string' },
            },
            required: ['id', 'title', 'url', 'kind', 'excerpt'],
          },
        },
      },
      ['results', 'complete'],
    ),
    needs({ kind }, caller) {
      if (kind !== undefined) return needOf('GET', kind, kinds)
      // Any kind will do; without one, all that is offered is asked for.
      if (readable(kinds, caller).length > 0) return []
      return kinds.map((type) => ({ verb: 'GET', type }))
    },
    async run({ query, kind, limit = DEFAULT_LIMIT }, context) {
      if (kind !== undefined && !kinds.includes(kind)) throw new ToolError('not_found')
      const words = wordsOf(query)
      const within = kind === undefined ? readable(kinds, context) : [kind]
      const { found, complete } = await look(options, context, { words, within, limit })
      return {
        ...OWNERS_DOCUMENT,
        complete,
        results: found.map((document) => ({
          id: documentId(document),
          title: cleanLine(document.title, MAX_TITLE),
          url: document.url ?? context.instance.origin,
          kind: document.kind,
          excerpt: excerptOf(document.text, words),
        })),
      }
    },
  }
}

function readable(kinds: readonly string[], { access }: ToolCaller): string[] {
  return kinds.filter((kind) =>
    access.permissions.some(({ type, verbs }) => type === kind && verbs.includes('GET')),
  )
}

async function look(
  { data, clock }: DataToolsOptions,
  context: ToolContext,
  {
    words,
    within,
    limit,
  }: {
    readonly words: readonly string[]
    readonly within: readonly string[]
    readonly limit: number
  },
): Promise<{ readonly found: readonly DataDocument[]; readonly complete: boolean }> {
  const until = clock.now() + SEARCH_MS
  const found: DataDocument[] = []
  const breath = new Breath()
  let looked = 0
  for (const kind of within) {
    let cursor: string | undefined
    do {
      const page = await data.list(context, kind, {
        limit: PAGE,
        ...(cursor !== undefined && { cursor }),
      })
      // What the caller may not read has been looked at, too.
      looked += PAGE
      for (const document of page.documents) {
        await breath.take()
        if (clock.now() >= until || context.signal.aborted) return { found, complete: false }
        if (!matches(document, words)) continue
        if (found.length === limit) return { found, complete: false }
        found.push(document)
      }
      cursor = page.cursor
      const isOver = looked >= SEARCH_DOCUMENTS || clock.now() >= until || context.signal.aborted
      if (isOver && (cursor !== undefined || kind !== within.at(-1))) {
        return { found, complete: false }
      }
    } while (cursor !== undefined)
  }
  return { found, complete: true }
}

/** Lets other requests have their turn now and then: documents may be long, and looking at them is plain work. */
class Breath {
  #since = performance.now()

  async take(): Promise<void> {
    if (performance.now() - this.#since < BREATH_MS) return
    await setImmediate()
    this.#since = performance.now()
  }
}

function wordsOf(query: string): string[] {
  return fold(cleanText(query))
    .split(/\s+/)
    .filter((word) => word !== '')
}

function matches({ title, text }: DataDocument, words: readonly string[]): boolean {
  const all = fold(cleanText(`${title}\n${text}`))
  return words.length > 0 && words.every((word) => all.includes(word))
}

/** As it is compared: neither case nor accents count. */
function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
}

/** What stands around the first word that was found. */
function excerptOf(text: string, [word = '']: readonly string[]): string {
  const line = cleanText(text).replaceAll(/\s+/g, ' ').trim()
  // Folding may change lengths a little: then the excerpt begins a little beside the word.
  const at = Math.max(0, fold(line).indexOf(word) - BEFORE_MATCH)
  return cleanLine(line.slice(isTorn(line, at) ? at - 1 : at), MAX_EXCERPT)
}

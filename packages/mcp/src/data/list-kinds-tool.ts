import type { Verb } from '@svc/oauth-core'
import type { ToolOptions } from '../tools/tool.ts'
import type { DataToolsOptions } from './data-tools-options.ts'
import { input, output } from './schemas.ts'

/** Kinds that the grant may read or write, in words. */
export function listKindsTool({ data, kinds, writes }: DataToolsOptions): ToolOptions {
  return {
    name: 'list_kinds',
    title: 'List kinds of data',
    description:
      'Lists the kinds of data that the owner allowed, and what may be done to each. Call it first.',
    readOnly: true,
    input: input({}),
    output: output(
      {
        kinds: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              kind: { type: 'string' },
              name: { type: 'string' },
              allowed: { type: 'array', items: { type: 'string' } },
              verbs: { type: 'array', items: { type: 'string' } },
            },
            required: ['kind', 'name', 'allowed', 'verbs'],
          },
        },
      },
      ['kinds'],
    ),
    needs: () => [],
    async run(_given, { instance, access, note }) {
      note({ documents: 0 })
      const granted = new Map<string, Set<Verb>>()
      for (const { type, verbs } of access.permissions) {
        const known = granted.get(type) ?? new Set()
        granted.set(type, known)
        for (const verb of verbs) if (verb === 'GET' || writes) known.add(verb)
      }
      const listed = kinds.filter((kind) => (granted.get(kind)?.size ?? 0) > 0)
      return {
        kinds: listed.map((kind) => {
          const verbs = [...(granted.get(kind) ?? [])]
          const words = data.wordsOf(instance, kind)
          const allowed = new Set(verbs.map((verb) => words[WORDS[verb]]))
          return { kind, name: words.name, allowed: [...allowed], verbs }
        }),
      }
    },
  }
}

const WORDS = {
  DELETE: 'delete',
  GET: 'read',
  PATCH: 'change',
  POST: 'add',
  PUT: 'change',
} as const

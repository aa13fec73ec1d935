// Compiled, never run: what the types promise and refuse.
import { createMcp, type DataPort, type Mcp, ToolError } from '@svc/mcp'
import type { OAuth, ResourceAccess } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'

const INPUT = { type: 'object', properties: {}, additionalProperties: false } as const

export function checkMcp(oauth: OAuth, data: DataPort): Mcp {
  const mcp = createMcp({ oauth, data, writes: false, kinds: ['io.svc.notes'] })
  mcp.tool<{ readonly year: number }>({
    name: 'one',
    title: 'One',
    readOnly: true,
    input: INPUT,
    needs: ({ year }) => [{ verb: 'GET', type: `io.svc.y${year + 1}` }],
    async run({ year }, context) {
      const instance: Instance = context.instance
      const access: ResourceAccess = context.access
      if (!access.allows('GET', instance.domain)) throw new ToolError('not_found')
      return { year: year + 1 }
    },
  })
  // @ts-expect-error a tool says what it needs
  mcp.tool({ name: 'two', title: 'Two', readOnly: true, input: INPUT, run: async () => ({}) })
  // @ts-expect-error it says whether it only reads
  mcp.tool({ name: 'two', title: 'Two', input: INPUT, needs: () => [], run: async () => ({}) })
  // @ts-expect-error codes are those of the table
  void new ToolError('nonsense')
  return mcp
}

import type { Tool as ListedTool } from '@modelcontextprotocol/server'
import { declareTool, type Tool, type ToolOptions } from './tool.ts'

/** The tools of a server, the same for every caller and always in the order in which they were declared. */
export class Tools {
  readonly #byName = new Map<string, Tool>()
  #listed: ListedTool[] | undefined

  /** @throws TypeError for a name that is taken, or a tool that contradicts itself */
  add<Arguments extends object>(options: ToolOptions<Arguments>): void {
    const tool = declareTool(options)
    if (this.#byName.has(tool.name)) throw new TypeError(`tool ${tool.name} is declared already`)
    this.#byName.set(tool.name, tool)
    this.#listed = undefined
  }

  get(name: string): Tool | undefined {
    return this.#byName.get(name)
  }

  /** As clients read it. @see assistants.md 6.3 */
  get listed(): ListedTool[] {
    this.#listed ??= [...this.#byName.values()].map(toListed)
    return this.#listed
  }
}

function toListed(tool: Tool): ListedTool {
  const { name, title, description = title, input, output, readOnly } = tool
  return {
    name,
    title,
    description,
    inputSchema: { ...input },
    ...(output !== undefined && { outputSchema: { ...output } }),
    annotations: {
      title,
      readOnlyHint: readOnly,
      destructiveHint: tool.destructive ?? !readOnly,
      idempotentHint: tool.idempotent ?? readOnly,
      openWorldHint: false,
    },
  }
}

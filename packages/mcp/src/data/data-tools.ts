import type { ToolOptions } from '../tools/tool.ts'
import { createTool } from './create-tool.ts'
import type { DataToolsOptions } from './data-tools-options.ts'
import { deleteTool } from './delete-tool.ts'
import { fetchTool } from './fetch-tool.ts'
import { listKindsTool } from './list-kinds-tool.ts'
import { listTool } from './list-tool.ts'
import { searchTool } from './search-tool.ts'
import { updateTool } from './update-tool.ts'

/** The tools of a server with documents, in the order in which clients list them. @see assistants.md 6.3 */
export function dataTools(options: DataToolsOptions): readonly ToolOptions<never>[] {
  const tools = [
    listKindsTool(options),
    listTool(options),
    searchTool(options),
    fetchTool(options),
    ...(options.writes ? writingTools(options) : []),
  ]
  // Each is called with arguments that its own schema let through.
  return tools as unknown as readonly ToolOptions<never>[]
}

/** What takes something away is offered where the server can put it back. @see assistants.md 6.6 */
function writingTools(options: DataToolsOptions) {
  const { data } = options
  return [
    createTool(options),
    ...(data.update === undefined ? [] : [updateTool(options, data.update.bind(data))]),
    ...(data.remove === undefined ? [] : [deleteTool(options, data.remove.bind(data))]),
  ]
}

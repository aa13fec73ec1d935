import type { McpServer } from './mcp-server.ts'

/** What the published clients call instead of `fetch`: the name of the server is one that no resolver knows. */
export function fetchOf(
  { send }: Pick<McpServer, 'send'>,
  noted: { method: string; status: number }[] = [],
): (input: string | URL, init?: RequestInit) => Promise<Response> {
  return async (input, init = {}) => {
    const { pathname, search } = new URL(input)
    const method = init.method ?? 'GET'
    const answer = await send(method, `${pathname}${search}`, {
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === 'string' && { body: init.body }),
    })
    noted.push({ method, status: answer.status })
    const headers = new Headers()
    for (const [name, value] of Object.entries(answer.headers)) {
      if (value !== undefined) headers.set(name, String(value))
    }
    const hasBody = answer.text !== ''
    return new Response(hasBody ? answer.text : null, { status: answer.status, headers })
  }
}
